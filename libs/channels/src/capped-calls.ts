import type { Redis } from "@modelgate/platform";

/** Redis hash of how many calls of each channel reported more than they could use. */
export const cappedKey = "channels:capped";

/** Counts a call whose vendor reported more than the call could use, against its channel. */
export async function countCapped(redis: Redis, channelId: string): Promise<void> {
  await redis.hincrby(cappedKey, channelId, 1);
}

/** Such calls by channel, since each was enabled last; channels without any are absent. */
export async function readCapped(redis: Redis): Promise<ReadonlyMap<string, number>> {
  const counts = await redis.hgetall(cappedKey);
  return new Map(Object.entries(counts).map(([id, count]) => [id, Number(count)]));
}
