import {
  firstLeaseEnd,
  outboxLength,
  publishEntries,
  readUnpublished,
  shards,
  sweepHolds,
  type SweepOptions,
} from "@modelgate/accounts";
import { WorkCheck, msUntilBeat, type Bus, type Counter, type Logger, type Redis } from "@modelgate/platform";

export interface RoundOptions {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly log: Logger;
  readonly roundMs: number;
  readonly leftBehindMs: number;
  /**
   * Wait, in ms, of the sweep after an outage of Redis: a reservation's lease may have expired while its service lives.
   */
  readonly afterOutageMs: number;
  readonly batch: number;
  /**
   * Run ids of the Redis servers that have everything in the books; undefined: none are known. Elsewhere a reservation
   * may exist whose settlement was lost.
   */
  readonly wholeRuns: () => string | undefined;
  readonly published: Counter;
  readonly swept: Counter;
}

/**
 * Checks all shards periodically: settles abandoned reservations, and publishes abandoned events. Several ledgers may
 * run this at the same time: the script settles a reservation once, and `Nats-Msg-Id` deduplicates published events.
 * After an outage of Redis a lease does not show whether its service lives. Services then get time to renew or to
 * settle exactly, before the sweep settles at the minimum charge.
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
        // Fails without Redis, whether or not NATS is available: this is how an outage is detected.
        if (await workCheck.hasWork())
          await oneRound(options, performance.now() >= state.sweepsFrom ? options.wholeRuns() : undefined);
        state.complained = false;
      } catch (error) {
        state.sweepsFrom = performance.now() + afterOutageMs;
        if (!state.complained) log.warn({ err: error }, "a round failed; trying again");
        state.complained = true;
      }
      await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, msUntilBeat(roundMs)))]);
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

/** Returns the end of the next lease in Unix ms; now while events wait, because NATS may be available again. */
async function nextDue(redis: Redis): Promise<number> {
  const [leases, waiting] = await Promise.all([
    Promise.all(shards.map((shard) => firstLeaseEnd(redis, shard))),
    Promise.all(shards.map((shard) => outboxLength(redis, shard))),
  ]);
  return waiting.some((events) => events > 0) ? 0 : Math.min(...leases);
}

async function oneRound(options: RoundOptions, runIds: string | undefined): Promise<void> {
  await Promise.all(
    shards.map(async (shard) => {
      if (runIds !== undefined) await sweepShard(shard, options, { runIds });
      await publishLeftovers(shard, options);
    }),
  );
}

/** Dependencies of the work on one shard. */
export type ShardWork = Omit<RoundOptions, "roundMs" | "afterOutageMs" | "wholeRuns">;

/**
 * Checks one shard: its abandoned reservations, then its events. `nowMs` is the clock of reservations; absent: this
 * machine's.
 */
export async function inspectShard(shard: string, work: ShardWork, nowMs?: number): Promise<void> {
  await sweepShard(shard, work, { nowMs });
  await publishLeftovers(shard, work);
}

async function sweepShard(shard: string, { redis, log, batch, swept }: ShardWork, bounds: SweepOptions): Promise<void> {
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
  const left = await readUnpublished(redis, shard, leftBehindMs, batch, (error, entryId) =>
    log.error({ err: error, shard, entryId }, "an event in the outbox cannot be read and stays there"),
  );
  if (left.length > 0) published.inc(await publishEntries(redis, bus, [...left]));
}
