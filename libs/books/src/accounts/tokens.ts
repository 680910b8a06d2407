import { Type } from "typebox";
import { stored } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import { writeAudit } from "./audit.ts";

/** A token as the books keep it: of its key only the SHA-256. */
export interface BookedToken {
  readonly account: string;
  readonly id: string;
  readonly digest: string;
  /** Counts its changes. */
  readonly version: number;
  /** Other members of the token, without a secret. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** Reads a record of any shape; the code that makes a token of it checks the members. */
const readRecord = stored("token", Type.Record(Type.String(), Type.Unknown()));

/** A new token, and how many the account may have with it; absent: any number. */
export interface NewToken extends Omit<BookedToken, "version"> {
  readonly max?: number | undefined;
}

/**
 * Writes a new token into the books; the one that is there under its id, and whether it is this one. Undefined where
 * the account has as many as it may.
 */
export async function bookToken(
  { db }: Books,
  { account, id, digest, record, max }: NewToken,
  actor: string,
): Promise<{ readonly token: BookedToken; readonly created: boolean } | undefined> {
  return db.transaction().execute(async (at) => {
    if (max !== undefined) {
      const { count } = await at
        .selectFrom("tokens")
        .select(({ fn }) => fn.countAll().as("count"))
        .where("account", "=", account)
        .executeTakeFirstOrThrow();
      if (Number(count) >= max) return undefined;
    }
    const fresh = await at
      .insertInto("tokens")
      .values({ account, token: id, digest, version: 1, projected: 0, record: JSON.stringify(record) })
      .onConflict((conflict) => conflict.doNothing())
      .returning("token")
      .execute();
    if (fresh.length > 0)
      await writeAudit(at, { account, time: new Date().toISOString(), actor, action: "token.create", after: record });
    const row = await at
      .selectFrom("tokens")
      .selectAll()
      .where("account", "=", account)
      .where("token", "=", id)
      .executeTakeFirstOrThrow();
    return { token: bookedOf(row), created: fresh.length > 0 };
  });
}

/** Takes a token into the books that Redis has and they do not: one of an earlier version. */
export async function adoptToken(
  { db }: Books,
  { account, id, digest, record }: Omit<BookedToken, "version">,
): Promise<void> {
  await db
    .insertInto("tokens")
    .values({ account, token: id, digest, version: 1, projected: 0, record: JSON.stringify(record) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Changes some of a token's record; undefined where there is no such token. */
export async function changeBookedToken(
  { db }: Books,
  id: string,
  change: Readonly<Record<string, unknown>>,
  { actor, action }: { readonly actor: string; readonly action: string },
): Promise<BookedToken | undefined> {
  return db.transaction().execute(async (at) => {
    // Written before it is read: of two changes at once the second waits for the first.
    const [row] = await at
      .updateTable("tokens")
      .set(({ eb }) => ({ version: eb("version", "+", 1) }))
      .where("token", "=", id)
      .returningAll()
      .execute();
    if (row === undefined) return undefined;
    const before = bookedOf(row);
    const record = Object.fromEntries(
      Object.entries({ ...before.record, ...change }).filter(([, value]) => value !== null && value !== undefined),
    );
    await at
      .updateTable("tokens")
      .set({ record: JSON.stringify(record) })
      .where("account", "=", row.account)
      .where("token", "=", id)
      .execute();
    const time = new Date().toISOString();
    await writeAudit(at, { account: row.account, time, actor, action, before: before.record, after: record });
    return { ...before, record };
  });
}

/** Tokens that Redis was not given as they are now. */
export async function unprojectedTokens({ db }: Books, limit: number): Promise<readonly BookedToken[]> {
  const rows = await db.selectFrom("tokens").selectAll().whereRef("projected", "<", "version").limit(limit).execute();
  return rows.map(bookedOf);
}

/** All tokens of these accounts. */
export async function tokensOf({ db }: Books, accounts: readonly string[]): Promise<readonly BookedToken[]> {
  if (accounts.length === 0) return [];
  const rows = await db.selectFrom("tokens").selectAll().where("account", "in", accounts).execute();
  return rows.map(bookedOf);
}

/** Says that Redis was given a version of a token. */
export async function markTokenProjected({ db }: Books, { account, id, version }: BookedToken): Promise<void> {
  await db
    .updateTable("tokens")
    .set({ projected: version })
    .where("account", "=", account)
    .where("token", "=", id)
    .where("projected", "<", version)
    .execute();
}

function bookedOf(row: {
  readonly account: string;
  readonly token: string;
  readonly digest: string;
  readonly version: number;
  readonly record: string;
}): BookedToken {
  const { account, token: id, digest, version } = row;
  return { account, id, digest, version, record: readRecord(row.record) };
}
