import { Type } from "typebox";
import { stored } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { keys } from "../keys.ts";
import { digestOf, hintOf, newKey, tokenIdOf } from "./key.ts";

/** What a token may spend, in nano-dollars; absent: as much as there is. */
export interface TokenBudget {
  readonly perDay?: string | undefined;
  readonly perMonth?: string | undefined;
}

/** An API token, as far as it is kept: never the key itself. */
export interface Token {
  readonly id: string;
  readonly accountId: string;
  readonly group: string;
  readonly name: string;
  /** Narrowing of the group's models; absent: all of the group. */
  readonly models?: readonly string[] | undefined;
  /** RFC 3339; absent: never. */
  readonly expiresAt?: string | undefined;
  readonly disabled: boolean;
  readonly budget?: TokenBudget | undefined;
  readonly createdAt: string;
  /** Beginning and end of the key, for people. */
  readonly hint: string;
}

/** What a new token is to be. */
export interface TokenWish {
  readonly accountId: string;
  readonly group: string;
  readonly name?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly expiresAt?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly budget?: TokenBudget | undefined;
}

/** Creates a token with a new key; the key is in the answer and nowhere else. */
export async function createToken(
  redis: Redis,
  wish: TokenWish,
): Promise<{ readonly key: string; readonly token: Token }> {
  const key = newKey();
  const { token } = await putToken(redis, key, wish);
  return { key, token };
}

/** Makes a token of a key that is known already (configured ones); an existing one is left as it is. */
export async function putToken(
  redis: Redis,
  key: string,
  wish: TokenWish,
): Promise<{ readonly token: Token; readonly created: boolean }> {
  const digest = digestOf(key);
  const existing = await findToken(redis, digest);
  if (existing !== undefined) return { token: existing, created: false };
  const token: Token = {
    id: tokenIdOf(digest),
    accountId: wish.accountId,
    group: wish.group,
    name: wish.name ?? hintOf(key),
    models: wish.models,
    expiresAt: wish.expiresAt,
    disabled: wish.disabled ?? false,
    budget: wish.budget,
    createdAt: new Date().toISOString(),
    hint: hintOf(key),
  };
  const created = await redis.set(keys.token(digest), JSON.stringify(token), "NX");
  await redis.hset(keys.tokenIds, token.id, digest);
  await redis.sadd(keys.accountTokens(token.accountId), digest);
  await redis.publish(keys.tokenChanges, digest);
  return { token, created: created === "OK" };
}

/** The token of a key's digest, or undefined. */
export async function findToken(redis: Redis, digest: string): Promise<Token | undefined> {
  const text = await redis.get(keys.token(digest));
  return text === null ? undefined : parseToken(text);
}

/** The token with an id, or undefined. */
export async function findTokenById(redis: Redis, id: string): Promise<Token | undefined> {
  const digest = await redis.hget(keys.tokenIds, id);
  return digest === null ? undefined : findToken(redis, digest);
}

/** The digest of a token's key: a secret that its holder and the gateway share; undefined for an unknown token. */
export async function digestOfToken(redis: Redis, id: string): Promise<string | undefined> {
  return (await redis.hget(keys.tokenIds, id)) ?? undefined;
}

/** The tokens of an account, oldest first. */
export async function listTokens(redis: Redis, accountId: string): Promise<readonly Token[]> {
  const digests = await redis.smembers(keys.accountTokens(accountId));
  const tokens = await Promise.all(digests.map((digest) => findToken(redis, digest)));
  return tokens
    .filter((token) => token !== undefined)
    .sort((left, right) => left.createdAt.localeCompare(right.createdAt));
}

/** Changes whether or how long a token counts and what it may spend, and tells every edge; undefined where there is no such token. */
export async function changeToken(
  redis: Redis,
  id: string,
  change: Partial<Pick<Token, "disabled" | "expiresAt" | "budget">>,
): Promise<Token | undefined> {
  const digest = await redis.hget(keys.tokenIds, id);
  const before = digest === null ? undefined : await findToken(redis, digest);
  if (digest === null || before === undefined) return undefined;
  const after: Token = { ...before, ...change };
  await redis.set(keys.token(digest), JSON.stringify(after));
  await redis.publish(keys.tokenChanges, digest);
  return after;
}

const parseToken: (text: string) => Token = stored(
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
    createdAt: Type.String(),
    hint: Type.String(),
  }),
);
