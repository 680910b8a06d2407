import { Failure } from "@modelgate/contracts";
import { readServers, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

/** The books that Redis was filled from, as the ledger names them; undefined: Redis is empty, or has lost all. */
export async function readEpoch(redis: Redis): Promise<string | undefined> {
  return (await redis.get(accountKeys.epoch)) ?? undefined;
}

/** Says that all accounts and tokens of the books are in Redis. */
export async function writeEpoch(redis: Redis, epoch: string): Promise<void> {
  await redis.set(accountKeys.epoch, epoch);
}

/** Says in which runs of its servers (`readServers`) Redis has what the books have: another may have lost the end of it. */
export async function writeWholeRuns(redis: Redis, runs: string): Promise<void> {
  await redis.set(accountKeys.wholeRuns, runs);
}

/**
 * Looks something up whose absence means two things: it does not exist, or Redis has lost it and is being filled again. Throws
 * Failure server_overloaded (503) for the latter. What is looked up twice is absent before and after Redis is known whole.
 */
export async function unlessLost<T>(redis: Redis, look: () => Promise<T>, isAbsent: (found: T) => boolean): Promise<T> {
  const found = await look();
  if (!isAbsent(found)) return found;
  if ((await readEpoch(redis)) === undefined || !(await isInWholeRun(redis)))
    throw new Failure("server_overloaded", "The gateway's accounts are being restored; try again shortly.", {
      retryAfterSeconds: 1,
    });
  return look();
}

/**
 * Time for which the servers' answer is reused: a check of each unknown key would cost Redis an expensive command each.
 */
const wholeForMs = 250;

/** Until when each Redis counts as in such a run, by `performance.now()`. */
const wholeUntil = new WeakMap<Redis, number>();

async function isInWholeRun(redis: Redis): Promise<boolean> {
  if (performance.now() < (wholeUntil.get(redis) ?? 0)) return true;
  const [known, { runs }] = await Promise.all([redis.get(accountKeys.wholeRuns), readServers(redis)]);
  // Absent: the ledger of an earlier version keeps none.
  const isWhole = known === null || known === runs;
  if (isWhole) wholeUntil.set(redis, performance.now() + wholeForMs);
  return isWhole;
}
