import { randomUUID } from "node:crypto";
import type { Token } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";

/** Lifetime of a playground's key in seconds. */
export const lifetimeSeconds = 15 * 60;
/** Time in ms after its expiry at which a playground's key may be deleted. */
const deletableAfterMs = 24 * 60 * 60 * 1_000;
const maxDeleted = 20;

const requestPrefix = "request:";

/**
 * Makes a key of a person's playground. `make` must call `rememberKeys` before the key exists. If the person loses
 * access meanwhile, ends the key and throws Failure (401).
 */
export async function makePlaygroundKey<Made extends { readonly id: string }>(
  { redis, ledger }: PlaygroundDeps,
  { person, actor }: { readonly person: string; readonly actor: string },
  make: () => Promise<Made>,
): Promise<Made> {
  const request = requestPrefix + randomUUID();
  await rememberKeys(redis, person, [request]);
  let newKey: Made;
  let hasAccess = false;
  try {
    newKey = await make();
  } finally {
    hasAccess = (await redis.srem(keysOf(person), request)) > 0;
  }
  if (hasAccess) return newKey;
  await expireKey(ledger, newKey.id, actor);
  throw new Failure("invalid_api_key", "Your session or your access has just ended; sign in again.");
}

interface PlaygroundDeps {
  readonly redis: Redis;
  readonly ledger: Pick<Ledger, "changeToken">;
}

/** Ends the keys of a person's playground, including those being made. */
export async function endPlaygroundKeys({ redis, ledger }: PlaygroundDeps, person: string): Promise<void> {
  const errors: unknown[] = [];
  for (const id of await redis.smembers(keysOf(person))) {
    await redis.srem(keysOf(person), id);
    if (id.startsWith(requestPrefix)) continue;
    await expireKey(ledger, id, person).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

async function expireKey(ledger: Pick<Ledger, "changeToken">, id: string, actor: string): Promise<void> {
  await ignoreDeletion(
    ledger.changeToken(id, { expiresAt: new Date().toISOString() }, { actor, action: "token.expire" }),
  );
}

/** Stores the ids of keys or requests until the keys have expired. */
export async function rememberKeys(redis: Redis, person: string, ids: readonly string[]): Promise<void> {
  await redis.sadd(keysOf(person), ...ids);
  await redis.expire(keysOf(person), 2 * lifetimeSeconds);
}

/** Returns the Redis key of a set: ids of a person's keys, and of requests for keys. */
function keysOf(person: string): string {
  return `console:playground:${person}`;
}

/** Deletes some expired keys of playgrounds. Disabled keys remain, because a new key would undo the disabling. */
export async function deleteExpiredKeys(
  ledger: Pick<Ledger, "deleteToken">,
  tokens: readonly Token[],
  actor: string,
): Promise<void> {
  const old = tokens.filter(
    ({ playgroundOf, disabled, expiresAt = "" }) =>
      playgroundOf !== undefined && !disabled && Date.parse(expiresAt) < Date.now() - deletableAfterMs,
  );
  for (const { id } of old.slice(0, maxDeleted)) await ignoreDeletion(ledger.deleteToken(id, actor));
}

/** Waits for a change of a key. Ignores the failure of a change whose key no longer exists. */
async function ignoreDeletion(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "unknown_url") throw error;
  }
}
