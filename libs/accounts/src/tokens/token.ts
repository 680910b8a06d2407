import { Failure, stored } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { Type } from "typebox";
import { accountKeys } from "../keys.ts";
import { unlessLost } from "../restore/epoch.ts";
import { digestOf, hintOf, tokenIdOf } from "./key.ts";

/** Spending limits of a token, in nano-dollars; absent: limited only by the account's balance. */
export interface TokenBudget {
  readonly perDay?: string | undefined;
  readonly perMonth?: string | undefined;
}

/** Budget of another token that this token's calls also count against. */
export interface SharedBudget extends TokenBudget {
  readonly id: string;
}

/** An API key as it is stored: without the key. */
export interface Token {
  readonly id: string;
  readonly accountId: string;
  readonly group: string;
  readonly name: string;
  /** Models of the group that it may use; absent: all of the group. */
  readonly models?: readonly string[] | undefined;
  /** RFC 3339; absent: never. */
  readonly expiresAt?: string | undefined;
  readonly disabled: boolean;
  readonly budget?: TokenBudget | undefined;
  /** Set if a member of the account created it, and no operator has changed it since. */
  readonly ofMember?: true | undefined;
  /** The operator's token whose budget it shares, with the current budget; absent: none. */
  readonly within?: SharedBudget | undefined;
  readonly createdAt: string;
  /** Beginning and end of the key, for recognition. */
  readonly hint: string;
  /** Id of the session settings that it is bound to; only for client secrets, which open sessions only. */
  readonly settingsId?: string | undefined;
  /** Number of its changes in the books; absent in tokens of earlier versions. */
  readonly version?: number | undefined;
}

/** Properties of a new token. */
export interface TokenRequest {
  readonly accountId: string;
  readonly group: string;
  readonly name?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly expiresAt?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly budget?: TokenBudget | undefined;
}

/** Builds the token of a configured or new key, and returns it with the key's digest, without storing it. */
export function makeToken(key: string, request: TokenRequest): { readonly digest: string; readonly token: Token } {
  const digest = digestOf(key);
  const token: Token = {
    id: tokenIdOf(digest),
    accountId: request.accountId,
    group: request.group,
    name: request.name ?? hintOf(key),
    models: request.models,
    expiresAt: request.expiresAt,
    disabled: request.disabled ?? false,
    budget: request.budget,
    createdAt: new Date().toISOString(),
    hint: hintOf(key),
  };
  return { digest, token };
}

const project = defineScript({
  file: new URL("project-token.lua", import.meta.url),
  keys: ["token"],
  args: { record: "text", version: "number" },
  replies: { projected: {}, newer: {} },
});

/** Writes a token of the books to Redis, and notifies every edge; the same or a later version in Redis is kept. */
export async function projectToken(redis: Redis, digest: string, token: Token): Promise<void> {
  await redis.hset(accountKeys.tokenIds, token.id, digest);
  await redis.sadd(accountKeys.accountTokens(token.accountId), digest);
  await project(
    redis,
    { token: accountKeys.token(digest) },
    { record: JSON.stringify(token), version: token.version ?? 0 },
  );
  await redis.publish(accountKeys.tokenChanges, digest);
}

/** Returns the token of a key's digest; undefined if there is none. */
export async function findToken(redis: Redis, digest: string): Promise<Token | undefined> {
  const text = await redis.get(accountKeys.token(digest));
  return text === null ? undefined : readToken(text);
}

/** Returns the token with an id; undefined if there is none. */
export async function findTokenById(redis: Redis, id: string): Promise<Token | undefined> {
  const digest = await redis.hget(accountKeys.tokenIds, id);
  return digest === null ? undefined : findToken(redis, digest);
}

/**
 * Returns the digest of a token's key, a secret that only its holder and the gateway know; undefined for an unknown
 * token.
 */
export async function digestOfToken(redis: Redis, id: string): Promise<string | undefined> {
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
    return token === undefined ? [] : [{ digest, token }];
  });
}

/** Reads a stored token. Throws UnknownShape. */
export const readToken: (text: string) => Token = stored(
  "token",
  Type.Object({
    id: Type.String(),
    accountId: Type.String(),
    group: Type.String(),
    name: Type.String(),
    models: Type.Optional(Type.Array(Type.String())),
    expiresAt: Type.Optional(Type.String()),
    disabled: Type.Boolean(),
    budget: Type.Optional(
      Type.Object({ perDay: Type.Optional(Type.String()), perMonth: Type.Optional(Type.String()) }),
    ),
    ofMember: Type.Optional(Type.Literal(true)),
    within: Type.Optional(
      Type.Object({
        id: Type.String(),
        perDay: Type.Optional(Type.String()),
        perMonth: Type.Optional(Type.String()),
      }),
    ),
    createdAt: Type.String(),
    hint: Type.String(),
    settingsId: Type.Optional(Type.String()),
    version: Type.Optional(Type.Integer()),
  }),
);

/**
 * Reads the token of a connection that is open for a long time. Throws Failure if the token was disabled or has
 * expired.
 */
export async function checkStillValid(redis: Redis, tokenId: string): Promise<Token> {
  const read = () => findTokenById(redis, tokenId);
  const token = await orUnavailable(unlessLost(redis, read, (found) => found === undefined));
  if (token === undefined || token.disabled) throw new Failure("api_key_disabled");
  if (token.expiresAt !== undefined && Date.parse(token.expiresAt) <= Date.now()) throw new Failure("api_key_expired");
  return token;
}
