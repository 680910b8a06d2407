import { writeAudit } from "../accounts/audit.ts";
import type { Books } from "../open.ts";

/** A version of the configuration in the books. */
export interface BookedConfiguration {
  readonly version: number;
  readonly time: string;
  readonly actor: string;
  readonly note: string;
  /** YAML document with references to vendor keys. */
  readonly document: string;
}

/** An encrypted vendor key, with the id that documents refer to. */
export interface EncryptedVendorKey {
  readonly id: string;
  readonly sealed: string;
}

/** Content of a new version of the configuration. */
export interface NewConfiguration {
  readonly document: string;
  readonly note: string;
  /** New keys that the document refers to. */
  readonly keys: readonly EncryptedVendorKey[];
  /** Version that it was derived from, or 0. */
  readonly basedOn: number;
}

/** Stores a version of the configuration. Returns undefined if a newer one than `basedOn` exists. */
export async function saveConfiguration(
  { db }: Books,
  { document, note, keys, basedOn }: NewConfiguration,
  actor: string,
): Promise<BookedConfiguration | undefined> {
  return db.transaction().execute(async (transaction) => {
    const now = new Date();
    const version = basedOn + 1;
    const newest = await transaction
      .selectFrom("configurations")
      .select("version")
      .orderBy("version", "desc")
      .executeTakeFirst();
    if ((newest?.version ?? 0) !== basedOn) return undefined;
    // The version is the primary key, so only one of two concurrent inserts succeeds.
    const inserted = await transaction
      .insertInto("configurations")
      .values({ version, at: now.getTime(), actor, note, document })
      .onConflict((conflict) => conflict.doNothing())
      .returning("version")
      .execute();
    if (inserted.length === 0) return undefined;
    for (const { id, sealed } of keys)
      await transaction
        .insertInto("vendor_keys")
        .values({ id, sealed, at: now.getTime() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    const time = now.toISOString();
    await writeAudit(transaction, {
      account: "",
      time,
      actor,
      action: "configuration.save",
      before: { version: basedOn },
      after: { version, note },
    });
    return { version, time, actor, note, document };
  });
}

/** Reads a version of the configuration, or the latest one. */
export async function readConfiguration(
  { db }: Books,
  version: number | undefined,
): Promise<BookedConfiguration | undefined> {
  const all = db.selectFrom("configurations").selectAll();
  const row = await (version === undefined ? all : all.where("version", "=", version))
    .orderBy("version", "desc")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { at, ...rest } = row;
  return { ...rest, time: new Date(at).toISOString() };
}

/** Reads versions of the configuration without their documents, newest first. */
export async function listConfigurations(
  { db }: Books,
  { limit, before }: { readonly limit: number; readonly before: number | undefined },
): Promise<readonly Omit<BookedConfiguration, "document">[]> {
  let query = db.selectFrom("configurations").select(["version", "at", "actor", "note"]);
  if (before !== undefined) query = query.where("version", "<", before);
  const rows = await query.orderBy("version", "desc").limit(limit).execute();
  return rows.map(({ at, ...row }) => ({ ...row, time: new Date(at).toISOString() }));
}

/** Reads the encrypted keys with these ids. */
export async function readVendorKeys({ db }: Books, ids: readonly string[]): Promise<readonly EncryptedVendorKey[]> {
  if (ids.length === 0) return [];
  return db.selectFrom("vendor_keys").select(["id", "sealed"]).where("id", "in", ids).execute();
}
