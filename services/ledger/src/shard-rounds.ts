import { publishEntries, readLeftovers, shards, sweepHolds } from "@modelgate/accounts";
import type { Bus, Counter, Logger, Redis } from "@modelgate/platform";

export interface RoundOptions {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly log: Logger;
  readonly roundMs: number;
  readonly leftBehindMs: number;
  readonly batch: number;
  readonly published: Counter;
  readonly swept: Counter;
}

/**
 * Goes through all shards, again and again: settles dead holds, and publishes events that their service left behind.
 * Several ledgers may do so at once: a hold is settled once by the script, and an event that two of them publish is
 * stored once by its `Nats-Msg-Id`.
 */
export function startRounds(options: RoundOptions): AsyncDisposable {
  const { log, roundMs } = options;
  const state = { stopped: false, complained: false };
  const sleep = Promise.withResolvers<void>();

  async function rounds(): Promise<void> {
    while (!state.stopped) {
      try {
        await oneRound(options);
        state.complained = false;
      } catch (error) {
        if (!state.complained) log.warn({ err: error }, "a round failed; trying again");
        state.complained = true;
      }
      await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, roundMs))]);
    }
  }

  const going = rounds();
  return {
    async [Symbol.asyncDispose]() {
      state.stopped = true;
      sleep.resolve();
      await going;
    },
  };
}

async function oneRound(options: RoundOptions): Promise<void> {
  await Promise.all(shards.map((shard) => lookThroughShard(shard, options)));
}

/** One look at one shard: its dead holds, then its events. `nowMs` is the clock of holds; absent: this machine's. */
export async function lookThroughShard(
  shard: string,
  { redis, bus, log, leftBehindMs, batch, published, swept }: Omit<RoundOptions, "roundMs">,
  nowMs?: number,
): Promise<void> {
  const dead = await sweepHolds(redis, shard, batch, nowMs);
  if (dead.length > 0) {
    swept.inc(dead.length);
    log.warn({ shard, calls: dead.map(({ event }) => event.id) }, "dead holds settled at their floor");
  }
  if (!bus.connected) return;
  const left = await readLeftovers(redis, shard, leftBehindMs, batch);
  if (left.length > 0) published.inc(await publishEntries(redis, bus, [...left]));
}
