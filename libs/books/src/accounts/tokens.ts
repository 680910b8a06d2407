import type { Selectable, Transaction, Updateable } from "kysely";
import { Type, type Static } from "typebox";
import { recordParser } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import type { Tables, TokensTable } from "../schema.ts";
import { writeAudit } from "./audit.ts";

const dayMs = 86_400_000;

/** Members of a token that its creator sets. */
interface TokenFields {
  readonly account: string;
  readonly id: string;
  /** SHA-256 of the key. The key itself is not stored. */
  readonly digest: string;
  /** Other members of the token. They contain no secret. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** An API key in the books. */
export interface BookedToken extends TokenFields {
  /** Number of changes of the token. */
  readonly version: number;
  /** Keys that a rotation has replaced, newest first. At most the first one still works. */
  readonly replaced: readonly ReplacedKey[];
  /** Time at which the token was deleted (RFC 3339); absent: it exists. */
  readonly deletedAt?: string;
}

const ReplacedKey = Type.Object({
  digest: Type.String(),
  /** First and last characters of the key. */
  hint: Type.String(),
  replacedAt: Type.String(),
  /** Time at which the key stops working. */
  expiresAt: Type.String(),
});
/** A key of a token that a rotation has replaced. Times are in RFC 3339. */
type ReplacedKey = Static<typeof ReplacedKey>;

/** Parses a record of any structure. The code that creates a token from it checks the members. */
const readRecord = recordParser("token", Type.Record(Type.String(), Type.Unknown()));
const readReplaced = recordParser("replaced keys", Type.Array(ReplacedKey));

/**
 * Maximum replaced keys of a token that the books keep. Those that have ended are kept so that a late write of an
 * earlier version does not bring them back to Redis.
 */
const maxReplaced = 10;

/**
 * A new API key. `max` is the maximum number of API keys of the account, including this one, without those of
 * playgrounds; absent: unlimited.
 */
export interface NewToken extends TokenFields {
  readonly team?: string | undefined;
  readonly max?: number | undefined;
}

/** Author and name of a change, for the audit. */
interface TokenAct {
  readonly actor: string;
  readonly action: string;
}

/**
 * Stores a new token in the books, unless a token with its id is stored already. Returns the stored token, and whether
 * it is the new one. Returns undefined if the account has its maximum number of tokens.
 */
export async function bookToken(
  { db }: Books,
  { account, id, digest, record, team, max }: NewToken,
  actor: string,
): Promise<{ readonly token: BookedToken; readonly created: boolean } | undefined> {
  return db.transaction().execute(async (at) => {
    if (max !== undefined) {
      const { count } = await at
        .selectFrom("tokens")
        .select(({ fn }) => fn.countAll().as("count"))
        .where("account", "=", account)
        .where("deleted", "=", "")
        // JSON escapes quotation marks in texts, so only the member's name matches.
        .where("record", "not like", '%"playgroundOf":%')
        .executeTakeFirstOrThrow();
      if (Number(count) >= max) return undefined;
    }
    const fresh = await at
      .insertInto("tokens")
      .values({ account, token: id, digest, version: 1, projected: 0, record: JSON.stringify(record), team })
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
export async function adoptToken({ db }: Books, { account, id, digest, record }: TokenFields): Promise<void> {
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
  act: TokenAct,
): Promise<BookedToken | undefined> {
  return db.transaction().execute(async (at) => {
    const before = await lockToken(at, id);
    if (before === undefined) return undefined;
    const record = changedRecord(before, change);
    await updateToken(at, before, { record: JSON.stringify(record) });
    await auditToken(at, before, act, record);
    return { ...before, record };
  });
}

/** Returns the record of a token after a change, whose null members remove members of the record. */
function changedRecord({ record }: BookedToken, change: TokenFields["record"]): TokenFields["record"] {
  return Object.fromEntries(
    Object.entries({ ...record, ...change }).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** New key of a token, the time for which the replaced key works, and changes of members of the token's record. */
interface Rotation {
  readonly digest: string;
  readonly hint: string;
  readonly graceSeconds: number;
  readonly change?: Readonly<Record<string, unknown>>;
}

/**
 * Replaces the key of a token. The replaced key works until `graceSeconds` have passed, and the key that it had itself
 * replaced ends now. Returns undefined if there is no such token.
 */
export async function rotateBookedToken(
  { db }: Books,
  id: string,
  { digest, hint, graceSeconds, change = {} }: Rotation,
  actor: string,
): Promise<BookedToken | undefined> {
  return db.transaction().execute(async (at) => {
    const before = await lockToken(at, id);
    if (before === undefined) return undefined;
    const now = Date.now();
    const replacedAt = new Date(now).toISOString();
    const graceEnd = new Date(now + graceSeconds * 1_000).toISOString();
    // A later expiry of the token does not extend the life of the replaced key.
    const end = change["expiresAt"] === undefined ? undefined : before.record["expiresAt"];
    const previous: ReplacedKey = {
      digest: before.digest,
      hint: String(before.record["hint"]),
      replacedAt,
      expiresAt: typeof end === "string" ? earlier(graceEnd, end) : graceEnd,
    };
    const ended = before.replaced.map((key) => ({ ...key, expiresAt: earlier(key.expiresAt, replacedAt) }));
    const replaced = [previous, ...ended].slice(0, maxReplaced);
    const record = { ...changedRecord(before, change), hint };
    await updateToken(at, before, {
      digest,
      record: JSON.stringify(record),
      replaced: JSON.stringify(replaced),
    });
    const { digest: _digest, ...shown } = previous;
    await auditToken(at, before, { actor, action: "token.rotate" }, { ...record, previous: shown });
    return { ...before, digest, record, replaced };
  });
}

/** Marks a token as deleted. Its usage and its audit remain. Returns undefined if there is no such token. */
export async function deleteBookedToken({ db }: Books, id: string, actor: string): Promise<BookedToken | undefined> {
  return db.transaction().execute(async (at) => {
    const before = await lockToken(at, id);
    if (before === undefined) return undefined;
    const deletedAt = new Date().toISOString();
    await updateToken(at, before, { deleted: deletedAt });
    await auditToken(at, before, { actor, action: "token.delete" }, null);
    return { ...before, deletedAt };
  });
}

/**
 * Increments the version of a token and returns the token; undefined if there is none. The row is updated before it is
 * read, so that a concurrent change waits for this one.
 */
async function lockToken(at: Transaction<Tables>, id: string): Promise<BookedToken | undefined> {
  const [row] = await at
    .updateTable("tokens")
    .set(({ eb }) => ({ version: eb("version", "+", 1) }))
    .where("token", "=", id)
    .where("deleted", "=", "")
    .returningAll()
    .execute();
  return row && tokenOf(row);
}

async function updateToken(
  at: Transaction<Tables>,
  { account, id }: BookedToken,
  columns: Updateable<TokensTable>,
): Promise<void> {
  await at.updateTable("tokens").set(columns).where("account", "=", account).where("token", "=", id).execute();
}

async function auditToken(
  at: Transaction<Tables>,
  { account, record }: BookedToken,
  act: TokenAct,
  after: unknown,
): Promise<void> {
  await writeAudit(at, { account, time: new Date().toISOString(), ...act, before: record, after });
}

/** Returns the earlier of two times in RFC 3339. */
function earlier(one: string, other: string): string {
  return Date.parse(one) <= Date.parse(other) ? one : other;
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

/**
 * Reads tokens that expire after `from` and not after `to` (Unix ms), those of an earlier day before others. SQL only
 * compares texts, because its functions for JSON fail for all rows if they cannot read one.
 */
export async function readExpiringTokens(
  { db }: Books,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<readonly BookedToken[]> {
  const expiring: BookedToken[] = [];
  for (let at = Math.floor(from / dayMs) * dayMs; at <= to && expiring.length < limit; at += dayMs) {
    const day = new Date(at).toISOString().slice(0, "2026-11-26".length);
    const rows = await db
      .selectFrom("tokens")
      .selectAll()
      .where("deleted", "=", "")
      .where("record", "like", `%"expiresAt":"${day}T%`)
      .orderBy("token")
      .limit(limit)
      .execute();
    for (const token of rows.flatMap(readableToken)) {
      const end = Date.parse(String(token.record["expiresAt"]));
      if (end > from && end <= to && expiring.length < limit) expiring.push(token);
    }
  }
  return expiring;
}

/** Returns the token of a row as a list, which is empty if its record cannot be read. */
function readableToken(row: Selectable<TokensTable>): readonly BookedToken[] {
  try {
    return [tokenOf(row)];
  } catch {
    return [];
  }
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

function tokenOf({ token: id, replaced, deleted, record, ...row }: Selectable<TokensTable>): BookedToken {
  return {
    account: row.account,
    id,
    digest: row.digest,
    version: row.version,
    record: readRecord(record),
    replaced: readReplaced(replaced),
    ...(deleted === "" ? {} : { deletedAt: deleted }),
  };
}
