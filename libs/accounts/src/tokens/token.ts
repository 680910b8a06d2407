import { callerSeconds, Failure, recordParser, type Caller } from "@modelgate/contracts";
import { orUnavailable, type Redis } from "@modelgate/platform";
import { Type } from "typebox";
import { accountKeys } from "../keys.ts";
import { readUnlessLost } from "../restore/epoch.ts";
import { requireAllowedAddress } from "./allowed-addresses.ts";
import { keyDigest, endedKeyMs, keyHint, tokenIdOf } from "./key.ts";

/** Limits of a token for a day or a month in UTC. Absent members are unlimited. */
export interface KeyBudget {
  /** Maximum spending of a day in nano-dollars. */
  readonly perDay?: string | undefined;
  /** Maximum spending of a month in nano-dollars. */
  readonly perMonth?: string | undefined;
  readonly requestsPerDay?: number | undefined;
}

/** Budget of another token that this token shares. */
export interface SharedBudget extends KeyBudget {
  readonly id: string;
}

/** Stored record of an API key, without the secret key. */
export interface Token {
  readonly id: string;
  readonly accountId: string;
  readonly group: string;
  readonly name: string;
  /** Models that the token may use; default: all models of the group. */
  readonly models?: readonly string[] | undefined;
  /** Expiry in RFC 3339. */
  readonly expiresAt?: string | undefined;
  readonly disabled: boolean;
  /** IP addresses and ranges from which the token may be used; absent: from everywhere. */
  readonly allowedAddresses?: readonly string[] | undefined;
  readonly budget?: KeyBudget | undefined;
  /** Days after which the token is due for another rotation. */
  readonly rotateAfterDays?: number | undefined;
  /** Time at which the token is due for rotation (RFC 3339). */
  readonly rotationDueAt?: string | undefined;
  /** Set if a member of the account created the token, and no operator has changed it since. */
  readonly ofMember?: true | undefined;
  /** Team whose budgets apply to the token's calls. It never changes. */
  readonly team?: string | undefined;
  /** Member who created the token: `NAME` in an account, `TEAM/NAME` in a team. */
  readonly member?: string | undefined;
  /** Person whose playground in the console uses the token. */
  readonly playgroundOf?: string | undefined;
  /** The operator's token that limits this one, with the budget that both share. */
  readonly within?: SharedBudget | undefined;
  readonly createdAt: string;
  readonly hint: string;
  /** Id of the session settings of a client secret, which can only open sessions. */
  readonly settingsId?: string | undefined;
  /** Number of changes of the token in the books; absent in tokens of earlier versions. */
  readonly version?: number | undefined;
  readonly previous?: PreviousKey | undefined;
  /** Time at which the key was replaced. Set only in the record of a replaced key. */
  readonly replacedAt?: string | undefined;
  /**
   * Time at which the token was deleted. The record remains, so that a late write of an earlier version does not
   * restore the token.
   */
  readonly deletedAt?: string | undefined;
}

/** A key that was replaced, without its secret. Times are in RFC 3339. */
export interface PreviousKey {
  readonly hint: string;
  readonly replacedAt: string;
  /** Time at which the key stops working. */
  readonly expiresAt: string;
  /** Time of the last use after the rotation. The real one may be a few seconds later, because the edge caches keys. */
  readonly lastUsedAt?: string | undefined;
}

export interface TokenRequest {
  readonly accountId: string;
  readonly group: string;
  readonly name?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly expiresAt?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly allowedAddresses?: readonly string[] | undefined;
  readonly budget?: KeyBudget | undefined;
  readonly rotateAfterDays?: number | undefined;
  readonly team?: string | undefined;
  readonly member?: string | undefined;
}

/** Builds the token of a key, and the key's digest. Does not store it. */
export function makeToken(key: string, request: TokenRequest): { readonly digest: string; readonly token: Token } {
  const digest = keyDigest(key);
  const token: Token = {
    id: tokenIdOf(digest),
    accountId: request.accountId,
    group: request.group,
    name: request.name ?? keyHint(key),
    models: request.models,
    expiresAt: request.expiresAt,
    disabled: request.disabled ?? false,
    allowedAddresses: request.allowedAddresses,
    budget: request.budget,
    rotateAfterDays: request.rotateAfterDays,
    team: request.team,
    member: request.member,
    createdAt: new Date().toISOString(),
    hint: keyHint(key),
  };
  return { digest, token };
}

/** Returns the token of the key with this digest, or undefined. */
export async function findToken(redis: Redis, digest: string): Promise<Token | undefined> {
  const text = await redis.get(accountKeys.token(digest));
  const token = text === null ? undefined : readToken(text);
  return token?.deletedAt === undefined ? token : undefined;
}

/**
 * Returns the token of a key that a client uses, or undefined. Records the use of a replaced key. This
 * write is rare, because callers cache the token.
 */
export async function findUsedToken(redis: Redis, digest: string): Promise<Token | undefined> {
  const token = await findToken(redis, digest);
  const [now, end] = [Date.now(), Date.parse(token?.expiresAt ?? "")];
  if (token?.replacedAt !== undefined && now < end)
    await redis.set(
      accountKeys.replacedKeyUse(token.id, token.replacedAt),
      new Date(now).toISOString(),
      "PX",
      end - now + endedKeyMs,
    );
  return token;
}

/** Returns a token with the time at which its replaced key was last used. */
export async function withLastUse(redis: Redis, token: Token): Promise<Token> {
  const { id, previous } = token;
  if (previous === undefined) return token;
  const lastUsedAt = (await redis.get(accountKeys.replacedKeyUse(id, previous.replacedAt))) ?? undefined;
  return { ...token, previous: { ...previous, lastUsedAt } };
}

export async function findTokenById(redis: Redis, id: string): Promise<Token | undefined> {
  const digest = await redis.hget(accountKeys.tokenIds, id);
  return digest === null ? undefined : findToken(redis, digest);
}

/** Returns the digest of a token's key; undefined for an unknown token. */
export async function readTokenDigest(redis: Redis, id: string): Promise<string | undefined> {
  return (await redis.hget(accountKeys.tokenIds, id)) ?? undefined;
}

/** Lists the tokens of an account, oldest first. */
export async function listTokens(redis: Redis, accountId: string): Promise<readonly Token[]> {
  const tokens = (await tokensWithDigests(redis, accountId)).map(({ token }) => token);
  return tokens.sort((left, right) => left.createdAt.localeCompare(right.createdAt));
}

/** Lists the tokens of an account in Redis, with the digests of their keys. */
export async function tokensWithDigests(
  redis: Redis,
  accountId: string,
): Promise<readonly { readonly digest: string; readonly token: Token }[]> {
  const digests = await redis.smembers(accountKeys.accountTokens(accountId));
  const tokens = await Promise.all(digests.map((digest) => findToken(redis, digest)));
  return digests.flatMap((digest, at) => {
    const token = tokens[at];
    return token === undefined || token.replacedAt !== undefined ? [] : [{ digest, token }];
  });
}

const budgetMembers = {
  perDay: Type.Optional(Type.String()),
  perMonth: Type.Optional(Type.String()),
  requestsPerDay: Type.Optional(Type.Integer()),
};

/** Parses a stored token. Throws UnknownShape. */
export const readToken: (text: string) => Token = recordParser(
  "token",
  Type.Object({
    id: Type.String(),
    accountId: Type.String(),
    group: Type.String(),
    name: Type.String(),
    models: Type.Optional(Type.Array(Type.String())),
    expiresAt: Type.Optional(Type.String()),
    disabled: Type.Boolean(),
    allowedAddresses: Type.Optional(Type.Array(Type.String())),
    budget: Type.Optional(Type.Object(budgetMembers)),
    rotateAfterDays: Type.Optional(Type.Integer()),
    rotationDueAt: Type.Optional(Type.String()),
    ofMember: Type.Optional(Type.Literal(true)),
    team: Type.Optional(Type.String()),
    member: Type.Optional(Type.String()),
    playgroundOf: Type.Optional(Type.String()),
    within: Type.Optional(Type.Object({ id: Type.String(), ...budgetMembers })),
    createdAt: Type.String(),
    hint: Type.String(),
    settingsId: Type.Optional(Type.String()),
    version: Type.Optional(Type.Integer()),
    previous: Type.Optional(Type.Object({ hint: Type.String(), replacedAt: Type.String(), expiresAt: Type.String() })),
    replacedAt: Type.Optional(Type.String()),
    deletedAt: Type.Optional(Type.String()),
  }),
);

/** Throws Failure (401) if a token is unknown, disabled or expired. */
export function requireUsable(token: Token | undefined): asserts token is Token {
  if (token === undefined) throw new Failure("invalid_api_key", "This API key is unknown.");
  if (token.disabled) throw new Failure("api_key_disabled");
  if (token.expiresAt !== undefined && Date.parse(token.expiresAt) <= Date.now())
    throw new Failure("api_key_expired", `This API key expired at ${token.expiresAt}.`);
}

/**
 * Reads the token of a connection that is open for a long time. Throws Failure if the token or the key that opened the
 * connection is no longer valid, or the client's address is not allowed. A replaced key expires earlier than the
 * token's current key; a client secret expires with the key that created it.
 */
export async function checkStillValid(
  redis: Redis,
  caller: Pick<Caller, "clientAddress" | "expiresAt" | "keyExpiresAt" | "secretCreatedAt" | "tokenId">,
): Promise<Token> {
  const { tokenId, expiresAt: signedUntil, keyExpiresAt, secretCreatedAt, clientAddress = "" } = caller;
  const readCurrent = () => findTokenById(redis, tokenId);
  const token = await orUnavailable(readUnlessLost(redis, readCurrent, (found) => found === undefined));
  if (token === undefined || token.disabled) throw new Failure("api_key_disabled");
  // The time is rounded up, because a key that was made in the same second may have opened the connection.
  const openedAt =
    secretCreatedAt === undefined ? (signedUntil - callerSeconds + 1) * 1_000 : Date.parse(secretCreatedAt);
  const { previous } = token;
  const replaced = previous !== undefined && openedAt < Date.parse(previous.replacedAt) ? previous : undefined;
  const isReplacedTwice = replaced !== undefined && keyExpiresAt !== undefined;
  const ends = [token.expiresAt, keyExpiresAt, replaced?.expiresAt];
  if (isReplacedTwice || ends.some((end) => end !== undefined && Date.parse(end) <= Date.now()))
    throw new Failure("api_key_expired");
  if (token.allowedAddresses !== undefined) requireAllowedAddress(token.allowedAddresses, clientAddress);
  return token;
}
