import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { keys } from "../keys.ts";

/** The books that Redis was filled from, as the ledger names them; undefined: Redis is empty, or has lost all. */
export async function readEpoch(redis: Redis): Promise<string | undefined> {
  return (await redis.get(keys.epoch)) ?? undefined;
}

/** Says that all accounts and tokens of the books are in Redis. */
export async function writeEpoch(redis: Redis, epoch: string): Promise<void> {
  await redis.set(keys.epoch, epoch);
}

/**
 * Looks something up whose absence means two things: it does not exist, or Redis has lost it and is being filled again. Throws
 * Failure server_overloaded (503) for the latter. What is looked up twice is absent before and after Redis is known whole.
 */
export async function unlessLost<T>(redis: Redis, look: () => Promise<T>, isAbsent: (found: T) => boolean): Promise<T> {
  const found = await look();
  if (!isAbsent(found)) return found;
  if ((await readEpoch(redis)) === undefined)
    throw new Failure("server_overloaded", "The gateway's accounts are being put back; try again shortly.", {
      retryAfterSeconds: 1,
    });
  return look();
}
