import type { Redis } from "@modelgate/platform";
import type { ChannelScope } from "./channel-scope.ts";
import type { Cooldown } from "./state.ts";

/**
 * Length, in ms, below which a pause is short. The ledger reports a pause that has lasted 15 seconds. It checks every
 * 15 seconds, so it may miss a pause that is shorter than this.
 */
export const shortPauseMs = 30_000;
/** Time, in seconds, for which the counts of an hour are kept. */
const keepSeconds = 2 * 3_600;
const hourMs = 3_600_000;

/**
 * Returns the name of the hash with the number of short pauses of each scope in the hour (UTC) of a Unix time in ms.
 */
function hashAt(nowMs: number): string {
  return `channels:short-pauses:${Math.floor(nowMs / hourMs)}`;
}

/**
 * Counts a cooldown that starts, if it is a short pause after failures. Several replicas may start the same pause
 * before they hear of each other, so further pauses of the scope in the first half of a pause are not counted.
 */
export async function countShortPause(
  redis: Redis,
  scope: ChannelScope,
  { kind, account, since, until }: Cooldown,
): Promise<void> {
  const startMs = Date.parse(since);
  if (kind !== "failing" || account !== undefined || until - startMs >= shortPauseMs) return;
  const countedMs = Math.ceil((until - startMs) / 2);
  if ((await redis.set(`channels:short-pause:${scope}`, "1", "PX", countedMs, "NX")) === null) return;
  await redis.hincrby(hashAt(startMs), scope, 1);
  await redis.expire(hashAt(startMs), keepSeconds);
}

/**
 * Reads the number of short pauses of each channel, key and model that started in the hour (UTC) of a Unix time in ms.
 */
export async function readShortPauses(redis: Redis, nowMs: number): Promise<ReadonlyMap<ChannelScope, number>> {
  const counts = await redis.hgetall(hashAt(nowMs));
  return new Map(Object.entries(counts).map(([scope, count]) => [scope, Number(count)]));
}
