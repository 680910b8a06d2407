import type { Selectable, Transaction } from "kysely";
import { Type, type Static } from "typebox";
import { recordParser } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import type { Tables, TokensTable } from "../schema.ts";

const dayMs = 86_400_000;
const pageSize = 500;

/** LIKE pattern of the records of playgrounds' tokens. Texts in records cannot match, because JSON escapes their quotation marks. */
export const playgroundPattern = '%"playgroundOf":%';

/** Members of a token that are set at its creation. */
export interface TokenFields {
  readonly account: string;
  readonly id: string;
  /** SHA-256 of the key. */
  readonly digest: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** An API key in the books. */
export interface BookedToken extends TokenFields {
  readonly version: number;
  /** Keys that a rotation has replaced, newest first. */
  readonly replaced: readonly ReplacedKey[];
  readonly deletedAt?: string;
}

const ReplacedKey = Type.Object({
  digest: Type.String(),
  hint: Type.String(),
  replacedAt: Type.String(),
  expiresAt: Type.String(),
});
/** A key that a rotation has replaced. Times are in RFC 3339. */
export type ReplacedKey = Static<typeof ReplacedKey>;

const readRecord = recordParser("token", Type.Record(Type.String(), Type.Unknown()));
const readReplaced = recordParser("replaced keys", Type.Array(ReplacedKey));

/** Reads tokens whose current version is not in Redis yet. */
export async function readTokensToWrite({ db }: Books, limit: number): Promise<readonly BookedToken[]> {
  const rows = await db.selectFrom("tokens").selectAll().whereRef("projected", "<", "version").limit(limit).execute();
  return rows.map(tokenFromRow);
}

/** Reads all tokens of these accounts. */
export async function readTokensOf({ db }: Books, accounts: readonly string[]): Promise<readonly BookedToken[]> {
  if (accounts.length === 0) return [];
  const rows = await db.selectFrom("tokens").selectAll().where("account", "in", accounts).execute();
  return rows.map(tokenFromRow);
}

/**
 * Reads tokens that expire after `from` and not after `to`. Compares texts, because SQL functions for JSON fail for all
 * rows if one row is invalid.
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

function readableToken(row: Selectable<TokensTable>): readonly BookedToken[] {
  try {
    return [tokenFromRow(row)];
  } catch {
    return [];
  }
}

/** Reads the tokens that have a rotation period, in pages. Deleted tokens are omitted. */
export async function* readTokensWithRotation({ db }: Books): AsyncGenerator<readonly BookedToken[]> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const rows: readonly Selectable<TokensTable>[] = await db
      .selectFrom("tokens")
      .selectAll()
      .where("deleted", "=", "")
      .where("record", "like", '%"rotateAfterDays":%')
      .where("token", ">", after)
      .orderBy("token")
      .limit(pageSize)
      .execute();
    if (rows.length > 0) yield rows.flatMap(readableToken);
    after = rows.at(-1)?.token;
  }
}

/** Reads the tokens of an account's playgrounds. Deleted tokens are omitted. */
export async function readPlaygroundTokens(
  transaction: Transaction<Tables>,
  account: string,
): Promise<readonly BookedToken[]> {
  const rows = await transaction
    .selectFrom("tokens")
    .selectAll()
    .where("account", "=", account)
    .where("deleted", "=", "")
    .where("record", "like", playgroundPattern)
    .execute();
  return rows.flatMap(readableToken);
}

/** Converts a row of `tokens`. Throws UnknownShape if its JSON is invalid. */
export function tokenFromRow({ token: id, replaced, deleted, record, ...row }: Selectable<TokensTable>): BookedToken {
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
