import { countDivergences } from "@modelgate/accounts";
import { eventStreams } from "@modelgate/contracts";
import { readRedisMemory, type Bus, type Redis } from "@modelgate/platform";
import { streamConsumers } from "../record-events.ts";
import {
  divergingAccounts,
  lagEvents,
  lagSeconds,
  redisMemory,
  redisMemoryLimit,
  streamPresent,
} from "./watch-metrics.ts";

/** Reads the memory use of Redis, by primary, and the number of accounts known to diverge. */
export async function watchRedis(redis: Redis): Promise<void> {
  const nodes = await readRedisMemory(redis);
  // A node that is no longer a primary is not reported any more.
  redisMemory.reset();
  redisMemoryLimit.reset();
  for (const { node, usedBytes, limitBytes } of nodes) {
    redisMemory.set({ node }, usedBytes);
    redisMemoryLimit.set({ node }, limitBytes);
  }
  divergingAccounts.set(await countDivergences(redis));
}

/** Removes the metrics of a Redis that does not answer. */
export function forgetRedis(): void {
  redisMemory.reset();
  redisMemoryLimit.reset();
  divergingAccounts.remove();
}

/** Reads which streams NATS has, and the lag of the books behind each. */
export async function watchStreams(bus: Bus): Promise<void> {
  for (const { name: stream } of Object.values(eventStreams)) {
    const progress = await bus.progress(stream, streamConsumers[stream]);
    streamPresent.set({ stream }, progress === undefined ? 0 : 1);
    lagEvents.set({ stream }, progress?.waiting ?? 0);
    lagSeconds.set({ stream }, ((await progress?.age()) ?? 0) / 1_000);
  }
}

/** Removes the metrics of a NATS that does not answer. */
export function forgetStreams(): void {
  for (const gauge of [streamPresent, lagEvents, lagSeconds]) gauge.reset();
}
