import { Failure } from "@modelgate/contracts";
import { readServerState, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

/** Returns the id of the books that Redis was filled from; undefined if Redis is empty, or has lost its data. */
export async function readEpoch(redis: Redis): Promise<string | undefined> {
  return (await redis.get(accountKeys.epoch)) ?? undefined;
}

/** Records that Redis contains all accounts and tokens of the books. */
export async function writeEpoch(redis: Redis, epoch: string): Promise<void> {
  await redis.set(accountKeys.epoch, epoch);
}

/**
 * Records the runs of its servers (`readServerState`) in which Redis contains all data of the books: a later run may have
 * lost the latest writes.
 */
export async function writeWholeRuns(redis: Redis, runs: string): Promise<void> {
  await redis.set(accountKeys.wholeRuns, runs);
}

/**
 * Reads a value that may be absent because it does not exist, or because Redis has lost it and is being restored.
 * Throws Failure server_overloaded (503) in the second case. The value certainly does not exist if two reads, before
 * and after Redis is known to be complete, find nothing.
 */
export async function unlessLost<T>(redis: Redis, read: () => Promise<T>, isAbsent: (found: T) => boolean): Promise<T> {
  const found = await read();
  return isAbsent(found) ? readAgain(redis, read) : found;
}

/** Repeats a read that found nothing. Throws Failure server_overloaded (503) while Redis is being restored. */
export async function readAgain<T>(redis: Redis, read: () => Promise<T>): Promise<T> {
  if ((await readEpoch(redis)) === undefined || !(await isInWholeRun(redis)))
    throw new Failure("server_overloaded", "The gateway's accounts are being restored; try again shortly.", {
      retryAfterSeconds: 1,
    });
  return read();
}

/**
 * Ms for which a result of `isInWholeRun` is reused. Otherwise every request with an unknown key would cost Redis an
 * expensive command.
 */
const wholeForMs = 250;

/** Time until which each Redis is known to be complete, by `performance.now()`. */
const knownCompleteUntil = new WeakMap<Redis, number>();

async function isInWholeRun(redis: Redis): Promise<boolean> {
  if (performance.now() < (knownCompleteUntil.get(redis) ?? 0)) return true;
  const [known, { runs }] = await Promise.all([redis.get(accountKeys.wholeRuns), readServerState(redis)]);
  // Absent: the ledger of an earlier version records no runs.
  const isWhole = known === null || known === runs;
  if (isWhole) knownCompleteUntil.set(redis, performance.now() + wholeForMs);
  return isWhole;
}
