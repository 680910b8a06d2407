import { Type } from "typebox";
import { recordParser } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import { writeAudit } from "./audit.ts";

/** An API key in the books. Only the SHA-256 of the key is stored. */
export interface BookedToken {
  readonly account: string;
  readonly id: string;
  readonly digest: string;
  /** Number of changes of the token. */
  readonly version: number;
  /** Other members of the token. They contain no secret. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** Parses a record of any structure. The code that creates a token from it checks the members. */
const readRecord = recordParser("token", Type.Record(Type.String(), Type.Unknown()));

/** A new API key. `max` is the maximum number of API keys of the account, including this one; absent: unlimited. */
export interface NewToken extends Omit<BookedToken, "version"> {
  readonly max?: number | undefined;
}

/**
 * Stores a new token in the books, unless a token with its id is stored already. Returns the stored token, and whether
 * it is the new one. Returns undefined if the account has its maximum number of tokens.
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
    return { token: tokenOf(row), created: fresh.length > 0 };
  });
}

/** Adds a token to the books that an earlier version has stored only in Redis. */
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

/** Changes members of a token's record. Returns undefined if there is no such token. */
export async function changeBookedToken(
  { db }: Books,
  id: string,
  change: Readonly<Record<string, unknown>>,
  { actor, action }: { readonly actor: string; readonly action: string },
): Promise<BookedToken | undefined> {
  return db.transaction().execute(async (at) => {
    // The row is updated before it is read, so that a concurrent change waits for this one.
    const [row] = await at
      .updateTable("tokens")
      .set(({ eb }) => ({ version: eb("version", "+", 1) }))
      .where("token", "=", id)
      .returningAll()
      .execute();
    if (row === undefined) return undefined;
    const before = tokenOf(row);
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

/** Reads tokens whose current version is not in Redis yet. */
export async function readUnprojectedTokens({ db }: Books, limit: number): Promise<readonly BookedToken[]> {
  const rows = await db.selectFrom("tokens").selectAll().whereRef("projected", "<", "version").limit(limit).execute();
  return rows.map(tokenOf);
}

/** Reads all tokens of these accounts. */
export async function readTokensOf({ db }: Books, accounts: readonly string[]): Promise<readonly BookedToken[]> {
  if (accounts.length === 0) return [];
  const rows = await db.selectFrom("tokens").selectAll().where("account", "in", accounts).execute();
  return rows.map(tokenOf);
}

/** Records that Redis contains this version of a token. */
export async function markTokenProjected({ db }: Books, { account, id, version }: BookedToken): Promise<void> {
  await db
    .updateTable("tokens")
    .set({ projected: version })
    .where("account", "=", account)
    .where("token", "=", id)
    .where("projected", "<", version)
    .execute();
}

function tokenOf(row: {
  readonly account: string;
  readonly token: string;
  readonly digest: string;
  readonly version: number;
  readonly record: string;
}): BookedToken {
  const { account, token: id, digest, version } = row;
  return { account, id, digest, version, record: readRecord(row.record) };
}
