import type { Transaction, Updateable } from "kysely";
import type { RecordedAction } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import type { Tables, TokensTable } from "../schema.ts";
import { writeAudit } from "./audit.ts";
import {
  playgroundPattern,
  readPlaygroundTokens,
  tokenFromRow,
  type BookedToken,
  type ReplacedKey,
  type TokenFields,
} from "./read-tokens.ts";

/**
 * Maximum number of replaced keys that are stored. Expired keys remain in the list, because an earlier version might
 * write them to Redis again.
 */
const maxReplaced = 10;

/** A new API key. `max` limits the API keys of the account, without those of playgrounds. */
export interface NewToken extends TokenFields {
  readonly team?: string | undefined;
  readonly max?: number | undefined;
}

interface TokenAudit {
  readonly actor: string;
  readonly action: RecordedAction;
}

/**
 * Stores a new token. If its id exists, returns the existing token. If the person already has a token for this
 * playground, replaces that token's key instead. Returns "full" if the account has `max` tokens, and "no-team" if the
 * account does not pay for the team.
 */
export async function bookToken(
  { db }: Books,
  { account, id, digest, record, team, max }: NewToken,
  actor: string,
): Promise<{ readonly token: BookedToken; readonly created: boolean } | "full" | "no-team"> {
  return db.transaction().execute(async (transaction) => {
    await lockAccount(transaction, account);
    if (team !== undefined && !(await paysForTeam(transaction, account, team))) return "no-team";
    if (max !== undefined) {
      const { count } = await transaction
        .selectFrom("tokens")
        .select(({ fn }) => fn.countAll().as("count"))
        .where("account", "=", account)
        .where("deleted", "=", "")
        .where("record", "not like", playgroundPattern)
        .executeTakeFirstOrThrow();
      if (Number(count) >= max) return "full";
    }
    const renewed = await renewPlaygroundToken(transaction, { account, digest, record }, actor);
    if (renewed !== undefined) return { token: renewed, created: false };
    const inserted = await transaction
      .insertInto("tokens")
      .values({ account, token: id, digest, version: 1, projected: 0, record: JSON.stringify(record), team })
      .onConflict((conflict) => conflict.doNothing())
      .returning("token")
      .execute();
    if (inserted.length > 0)
      await writeAudit(transaction, {
        account,
        time: new Date().toISOString(),
        actor,
        action: "token.create",
        after: record,
      });
    const row = await transaction
      .selectFrom("tokens")
      .selectAll()
      .where("account", "=", account)
      .where("token", "=", id)
      .executeTakeFirstOrThrow();
    return { token: tokenFromRow(row), created: inserted.length > 0 };
  });
}

/**
 * Locks the tokens and teams of an account until the transaction ends. Without the lock, concurrent changes could
 * exceed the maximum number of tokens, create two tokens for one person's playground, or create a token of a deleted
 * team.
 */
export async function lockAccount(transaction: Transaction<Tables>, account: string): Promise<void> {
  await transaction
    .updateTable("accounts")
    .set(({ ref }) => ({ name: ref("name") }))
    .where("account", "=", account)
    .execute();
}

async function paysForTeam(transaction: Transaction<Tables>, account: string, team: string): Promise<boolean> {
  const teams = transaction.selectFrom("teams").select("id").where("account", "=", account).where("id", "=", team);
  return (await teams.executeTakeFirst()) !== undefined;
}

/** Replaces the key of a person's playground token, if there is one. The replaced key works until its expiry. */
async function renewPlaygroundToken(
  transaction: Transaction<Tables>,
  { account, digest, record }: Omit<TokenFields, "id">,
  actor: string,
): Promise<BookedToken | undefined> {
  const same = ["playgroundOf", "team", "member", "group"] as const;
  const playgroundToken =
    record["playgroundOf"] === undefined
      ? undefined
      : (await readPlaygroundTokens(transaction, account)).find((token) =>
          same.every((name) => token.record[name] === record[name]),
        );
  const before = playgroundToken && (await lockToken(transaction, playgroundToken.id));
  if (before === undefined || before.record["disabled"] === true) return before;
  const { id, createdAt, disabled, expiresAt } = before.record;
  const renewed = { ...record, id, createdAt, disabled };
  return replaceKey(transaction, before, { digest, record: renewed, graceEnd: String(expiresAt) }, actor);
}

/** Adds a token that an earlier version has stored only in Redis. */
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
  audit: TokenAudit,
): Promise<BookedToken | undefined> {
  return db.transaction().execute(async (transaction) => {
    const before = await lockToken(transaction, id);
    if (before === undefined) return undefined;
    // Null removes a member.
    const record = Object.fromEntries(
      Object.entries({ ...before.record, ...change }).filter(([, value]) => value !== null && value !== undefined),
    );
    await updateToken(transaction, before, { record: JSON.stringify(record) });
    await auditToken(transaction, before, audit, record);
    return { ...before, record };
  });
}

interface Rotation {
  readonly digest: string;
  readonly hint: string;
  readonly graceSeconds: number;
}

/** Replaces the key of a token. The replaced key works for `graceSeconds`; keys replaced earlier stop working now. */
export async function rotateBookedToken(
  { db }: Books,
  id: string,
  { digest, hint, graceSeconds }: Rotation,
  actor: string,
): Promise<BookedToken | undefined> {
  return db.transaction().execute(async (transaction) => {
    const before = await lockToken(transaction, id);
    if (before === undefined) return undefined;
    const graceEnd = new Date(Date.now() + graceSeconds * 1_000).toISOString();
    return replaceKey(transaction, before, { digest, record: { ...before.record, hint }, graceEnd }, actor);
  });
}

async function replaceKey(
  transaction: Transaction<Tables>,
  before: BookedToken,
  { digest, record, graceEnd }: Pick<TokenFields, "digest" | "record"> & { readonly graceEnd: string },
  actor: string,
): Promise<BookedToken> {
  const replacedAt = new Date().toISOString();
  const previous: ReplacedKey = {
    digest: before.digest,
    hint: String(before.record["hint"]),
    replacedAt,
    expiresAt: graceEnd,
  };
  const ended = before.replaced.map((key) => ({ ...key, expiresAt: earlierTime(key.expiresAt, replacedAt) }));
  const replaced = [previous, ...ended].slice(0, maxReplaced);
  await updateToken(transaction, before, {
    digest,
    record: JSON.stringify(record),
    replaced: JSON.stringify(replaced),
  });
  const { digest: _digest, ...shown } = previous;
  await auditToken(transaction, before, { actor, action: "token.rotate" }, { ...record, previous: shown });
  return { ...before, digest, record, replaced };
}

/** Marks a token as deleted. Returns undefined if there is no such token. */
export async function deleteBookedToken({ db }: Books, id: string, actor: string): Promise<BookedToken | undefined> {
  return db.transaction().execute(async (transaction) => (await deleteTokensIn(transaction, [id], actor))[0]);
}

/** Marks tokens as deleted. Returns those that existed. */
export async function deleteTokensIn(
  transaction: Transaction<Tables>,
  ids: readonly string[],
  actor: string,
): Promise<readonly BookedToken[]> {
  const tokens: BookedToken[] = [];
  // Locks all tokens in one order before the audit, to avoid deadlocks.
  for (const id of ids.toSorted()) {
    const token = await lockToken(transaction, id);
    if (token !== undefined) tokens.push(token);
  }
  const deletedAt = new Date().toISOString();
  for (const token of tokens) {
    await updateToken(transaction, token, { deleted: deletedAt });
    await auditToken(transaction, token, { actor, action: "token.delete" }, null);
  }
  return tokens.map((token) => ({ ...token, deletedAt }));
}

/** Increments the version of a token, which also locks it, and reads it. */
async function lockToken(transaction: Transaction<Tables>, id: string): Promise<BookedToken | undefined> {
  const [row] = await transaction
    .updateTable("tokens")
    .set(({ eb }) => ({ version: eb("version", "+", 1) }))
    .where("token", "=", id)
    .where("deleted", "=", "")
    .returningAll()
    .execute();
  return row && tokenFromRow(row);
}

async function updateToken(
  transaction: Transaction<Tables>,
  { account, id }: BookedToken,
  columns: Updateable<TokensTable>,
): Promise<void> {
  await transaction.updateTable("tokens").set(columns).where("account", "=", account).where("token", "=", id).execute();
}

async function auditToken(
  transaction: Transaction<Tables>,
  { account, record }: BookedToken,
  audit: TokenAudit,
  after: unknown,
): Promise<void> {
  await writeAudit(transaction, { account, time: new Date().toISOString(), ...audit, before: record, after });
}

function earlierTime(one: string, other: string): string {
  return Date.parse(one) <= Date.parse(other) ? one : other;
}

/** Records that Redis contains this version of a token. */
export async function markTokenWritten({ db }: Books, { account, id, version }: BookedToken): Promise<void> {
  await db
    .updateTable("tokens")
    .set({ projected: version })
    .where("account", "=", account)
    .where("token", "=", id)
    .where("projected", "<", version)
    .execute();
}
