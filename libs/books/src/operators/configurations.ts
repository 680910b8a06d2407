import { writeAudit } from "../accounts/audit.ts";
import type { Books } from "../open.ts";

/** A version of the configuration as the books keep it. */
export interface BookedConfiguration {
  /** Counts from 1. */
  readonly version: number;
  /** RFC 3339. */
  readonly time: string;
  readonly actor: string;
  /** Note of its author; may be empty. */
  readonly note: string;
  /** YAML; vendor keys are named in it, never written. */
  readonly document: string;
}

/** A vendor's key, sealed, under the id by which documents name it. */
export interface SealedKey {
  readonly id: string;
  readonly sealed: string;
}

/** Content of a new version. */
export interface NewConfiguration {
  readonly document: string;
  readonly note: string;
  /** Keys that the document names and that are not kept yet. */
  readonly keys: readonly SealedKey[];
  /** The version that it was made from, 0 where there was none. */
  readonly basedOn: number;
}

/** Writes a version of the configuration; undefined where another was written since the one that it was made from. */
export async function saveConfiguration(
  { db }: Books,
  { document, note, keys, basedOn }: NewConfiguration,
  actor: string,
): Promise<BookedConfiguration | undefined> {
  return db.transaction().execute(async (at) => {
    const now = new Date();
    const version = basedOn + 1;
    const newest = await at
      .selectFrom("configurations")
      .select("version")
      .orderBy("version", "desc")
      .executeTakeFirst();
    if ((newest?.version ?? 0) !== basedOn) return undefined;
    // The version is the table's key: of two that are written at once one is not inserted.
    const inserted = await at
      .insertInto("configurations")
      .values({ version, at: now.getTime(), actor, note, document })
      .onConflict((conflict) => conflict.doNothing())
      .returning("version")
      .execute();
    if (inserted.length === 0) return undefined;
    for (const { id, sealed } of keys)
      await at
        .insertInto("vendor_keys")
        .values({ id, sealed, at: now.getTime() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    const time = now.toISOString();
    await writeAudit(at, {
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

/** A version of the configuration, or the newest; undefined where there is none. */
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

/** Versions of the configuration, newest first, without their documents. */
export async function listConfigurations(
  { db }: Books,
  { limit, before }: { readonly limit: number; readonly before: number | undefined },
): Promise<readonly Omit<BookedConfiguration, "document">[]> {
  let query = db.selectFrom("configurations").select(["version", "at", "actor", "note"]);
  if (before !== undefined) query = query.where("version", "<", before);
  const rows = await query.orderBy("version", "desc").limit(limit).execute();
  return rows.map(({ at, ...row }) => ({ ...row, time: new Date(at).toISOString() }));
}

/** The sealed keys of the ids that are kept. */
export async function readVendorKeys({ db }: Books, ids: readonly string[]): Promise<readonly SealedKey[]> {
  if (ids.length === 0) return [];
  return db.selectFrom("vendor_keys").select(["id", "sealed"]).where("id", "in", ids).execute();
}
