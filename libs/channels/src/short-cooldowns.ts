import type { Redis } from "@modelgate/platform";
import type { ChannelScope } from "./channel-scope.ts";
import type { Cooldown } from "./state.ts";

/** Length, in ms, below which a cooldown is short. The ledger may miss a short cooldown. */
export const shortCooldownMs = 30_000;
/** Time, in seconds, for which an hour's numbers are stored. */
const keepSeconds = 2 * 3_600;
const hourMs = 3_600_000;

function hashAt(nowMs: number): string {
  return `channels:short-cooldowns:${Math.floor(nowMs / hourMs)}`;
}

/**
 * Counts a cooldown if it is short and follows failures. Several replicas may start the same cooldown, so the scope is
 * counted only once within half of its length.
 */
export async function countShortCooldown(
  redis: Redis,
  scope: ChannelScope,
  { kind, account, since, until }: Cooldown,
): Promise<void> {
  const startMs = Date.parse(since);
  if (kind !== "failing" || account !== undefined || until - startMs >= shortCooldownMs) return;
  const countedMs = Math.ceil((until - startMs) / 2);
  if ((await redis.set(`channels:short-cooldown:${scope}`, "1", "PX", countedMs, "NX")) === null) return;
  await redis.hincrby(hashAt(startMs), scope, 1);
  await redis.expire(hashAt(startMs), keepSeconds);
}

/** Reads the number of short cooldowns of each channel, key and model in the hour (UTC) of a Unix time in ms. */
export async function readShortCooldowns(redis: Redis, nowMs: number): Promise<ReadonlyMap<ChannelScope, number>> {
  const counts = await redis.hgetall(hashAt(nowMs));
  return new Map(Object.entries(counts).map(([scope, count]) => [scope, Number(count)]));
}
