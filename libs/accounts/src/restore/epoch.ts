import { Failure } from "@modelgate/contracts";
import { readServerState, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

/** Returns the id of the books that Redis was filled from; undefined if Redis is empty or has lost its data. */
export async function readEpoch(redis: Redis): Promise<string | undefined> {
  return (await redis.get(accountKeys.epoch)) ?? undefined;
}

/** Records that Redis contains all accounts and tokens of the books with this id. */
export async function writeEpoch(redis: Redis, epoch: string): Promise<void> {
  await redis.set(accountKeys.epoch, epoch);
}

/**
 * Records the run ids of the current Redis servers, which contain all data of the books. A restarted server has another
 * run id, and may have lost the latest writes.
 */
export async function writeCompleteRuns(redis: Redis, runs: string): Promise<void> {
  await redis.set(accountKeys.completeRuns, runs);
}

/**
 * Reads a value. If it is absent, throws Failure server_overloaded (503) while Redis is being restored, and otherwise
 * reads again. The value may have been restored between the first read and the check.
 */
export async function readUnlessLost<T>(
  redis: Redis,
  read: () => Promise<T>,
  isAbsent: (value: T) => boolean,
): Promise<T> {
  const value = await read();
  return isAbsent(value) ? repeatRead(redis, read) : value;
}

/** Repeats a read that found nothing. Throws Failure server_overloaded (503) while Redis is being restored. */
export async function repeatRead<T>(redis: Redis, read: () => Promise<T>): Promise<T> {
  if ((await readEpoch(redis)) === undefined || !(await isInCompleteRun(redis)))
    throw new Failure("server_overloaded", "The gateway's accounts are being restored; try again shortly.", {
      retryAfterSeconds: 1,
    });
  return read();
}

/** Time in ms for which a positive result of `isInCompleteRun` is reused, because the check is an expensive command. */
const completeForMs = 250;

/**
 * Time (`performance.now()`) until which each Redis is assumed to contain all data of the books; 0 after the connection
 * was lost.
 */
const assumedCompleteUntil = new WeakMap<Redis, number>();

async function isInCompleteRun(redis: Redis): Promise<boolean> {
  if (performance.now() < (assumedCompleteUntil.get(redis) ?? 0)) return true;
  const [completeRuns, { runs }] = await Promise.all([redis.get(accountKeys.completeRuns), readServerState(redis)]);
  // A ledger of an earlier version records no runs.
  const isComplete = completeRuns === null || completeRuns === runs;
  // A new connection may lead to a restarted server, which is another run.
  if (!assumedCompleteUntil.has(redis)) redis.on("close", () => assumedCompleteUntil.set(redis, 0));
  if (isComplete) assumedCompleteUntil.set(redis, performance.now() + completeForMs);
  return isComplete;
}
