import {
  firstLeaseEnd,
  outboxLength,
  publishEntries,
  readLeftovers,
  shards,
  sweepHolds,
  type SweepBounds,
} from "@modelgate/accounts";
import { WorkCheck, untilBeat, type Bus, type Counter, type Logger, type Redis } from "@modelgate/platform";

export interface RoundOptions {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly log: Logger;
  readonly roundMs: number;
  readonly leftBehindMs: number;
  /** Wait of the sweep after Redis was unavailable: a hold's lease may have ended while its service lives. */
  readonly afterOutageMs: number;
  readonly batch: number;
  /**
   * The runs of Redis that have what the books have; undefined: none is known to. In another a hold may be there whose
   * settlement was lost.
   */
  readonly wholeRuns: () => string | undefined;
  readonly published: Counter;
  readonly swept: Counter;
}

/**
 * Goes through all shards, again and again, while there is something to find: settles dead holds, and publishes events that their service left behind.
 * Several ledgers may do so at once: a hold is settled once by the script, and an event that two of them publish is
 * stored once by its `Nats-Msg-Id`. After an outage of Redis no lease says who is dead: services get the time to renew
 * or to settle what they know exactly, before the sweep settles it at its floor.
 */
export function startRounds(options: RoundOptions): AsyncDisposable {
  const { log, roundMs, afterOutageMs } = options;
  const state = { stopped: false, complained: false, sweepsFrom: 0 };
  const sleep = Promise.withResolvers<void>();
  const workCheck = new WorkCheck({
    redis: options.redis,
    graceMs: options.leftBehindMs + 2 * roundMs,
    nextDue: () => nextDue(options.redis),
  });

  async function rounds(): Promise<void> {
    while (!state.stopped) {
      try {
        // Without Redis this fails, whether or not NATS is there: that is how an outage is seen.
        if (await workCheck.hasWork())
          await oneRound(options, performance.now() >= state.sweepsFrom ? options.wholeRuns() : undefined);
        state.complained = false;
      } catch (error) {
        state.sweepsFrom = performance.now() + afterOutageMs;
        if (!state.complained) log.warn({ err: error }, "a round failed; trying again");
        state.complained = true;
      }
      await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, untilBeat(roundMs)))]);
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

/** Returns the end of the next lease, Unix ms; now while events wait, because NATS may be back. */
async function nextDue(redis: Redis): Promise<number> {
  const [leases, waiting] = await Promise.all([
    Promise.all(shards.map((shard) => firstLeaseEnd(redis, shard))),
    Promise.all(shards.map((shard) => outboxLength(redis, shard))),
  ]);
  return waiting.some((events) => events > 0) ? 0 : Math.min(...leases);
}

async function oneRound(options: RoundOptions, onlyOn: string | undefined): Promise<void> {
  await Promise.all(
    shards.map(async (shard) => {
      if (onlyOn !== undefined) await sweepShard(shard, options, { onlyOn });
      await publishLeftovers(shard, options);
    }),
  );
}

/** Dependencies of the work on one shard. */
export type ShardWork = Omit<RoundOptions, "roundMs" | "afterOutageMs" | "wholeRuns">;

/** One look at one shard: its dead holds, then its events. `nowMs` is the clock of holds; absent: this machine's. */
export async function inspectShard(shard: string, work: ShardWork, nowMs?: number): Promise<void> {
  await sweepShard(shard, work, { nowMs });
  await publishLeftovers(shard, work);
}

async function sweepShard(shard: string, { redis, log, batch, swept }: ShardWork, bounds: SweepBounds): Promise<void> {
  const dead = await sweepHolds(redis, shard, batch, bounds);
  if (dead.length === 0) return;
  swept.inc(dead.length);
  log.warn({ shard, calls: dead.map(({ event }) => event.id) }, "dead holds settled at their floor");
}

async function publishLeftovers(
  shard: string,
  { redis, bus, log, leftBehindMs, batch, published }: ShardWork,
): Promise<void> {
  if (!bus.connected) return;
  const left = await readLeftovers(redis, shard, leftBehindMs, batch, (error, entryId) =>
    log.error({ err: error, shard, entryId }, "an event in the outbox cannot be read and stays there"),
  );
  if (left.length > 0) published.inc(await publishEntries(redis, bus, [...left]));
}
