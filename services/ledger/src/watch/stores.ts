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

export async function updateRedisMetrics(redis: Redis): Promise<void> {
  const nodes = await readRedisMemory(redis);
  // Removes nodes that are no longer primaries.
  redisMemory.reset();
  redisMemoryLimit.reset();
  for (const { node, usedBytes, limitBytes } of nodes) {
    redisMemory.set({ node }, usedBytes);
    redisMemoryLimit.set({ node }, limitBytes);
  }
  divergingAccounts.set(await countDivergences(redis));
}

/** Removes the metrics of Redis, because it does not answer. */
export function removeRedisMetrics(): void {
  redisMemory.reset();
  redisMemoryLimit.reset();
  divergingAccounts.remove();
}

/** Updates the metrics of the event streams. */
export async function updateStreamMetrics(bus: Bus): Promise<void> {
  for (const { name: stream } of Object.values(eventStreams)) {
    const progress = await bus.readProgress(stream, streamConsumers[stream]);
    streamPresent.set({ stream }, progress === undefined ? 0 : 1);
    lagEvents.set({ stream }, progress?.waiting ?? 0);
    lagSeconds.set({ stream }, ((await progress?.readOldestAgeMs()) ?? 0) / 1_000);
  }
}

/** Removes the metrics of the event streams, because NATS does not answer. */
export function removeStreamMetrics(): void {
  for (const gauge of [streamPresent, lagEvents, lagSeconds]) gauge.reset();
}
