import {
  firstLeaseEnd,
  outboxLength,
  publishEntries,
  readUnpublished,
  shards,
  sweepHolds,
  type SweepOptions,
} from "@modelgate/accounts";
import { WorkCheck, msUntilSharedTick, type Bus, type Counter, type Logger, type Redis } from "@modelgate/platform";

export interface RoundOptions {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly log: Logger;
  readonly roundMs: number;
  readonly leftBehindMs: number;
  /**
   * Time in ms after an outage of Redis during which this ledger settles no expired reservation: a lease may have
   * expired although its service is alive.
   */
  readonly afterOutageMs: number;
  readonly batch: number;
  /**
   * Returns the run ids of the Redis servers that are known to have everything in the books; undefined if there are
   * none. A server with another run id may have a reservation whose settlement it lost.
   */
  readonly completeRuns: () => string | undefined;
  readonly published: Counter;
  readonly swept: Counter;
}

/**
 * Checks all shards periodically: settles abandoned reservations, and publishes abandoned events. Several ledgers may
 * run this at the same time, because a script settles each reservation once and `Nats-Msg-Id` deduplicates published
 * events. After an outage of Redis, an expired lease does not show that its service has died. Services then get time to
 * renew or to settle exactly, before reservations are settled at the minimum charge.
 */
export function startRounds(options: RoundOptions): AsyncDisposable {
  const { log, roundMs, afterOutageMs } = options;
  const state = { stopped: false, hasLoggedFailure: false, sweepsFrom: 0 };
  const sleep = Promise.withResolvers<void>();
  const workCheck = new WorkCheck({
    redis: options.redis,
    graceMs: options.leftBehindMs + 2 * roundMs,
    nextDue: () => nextDue(options.redis),
  });

  async function rounds(): Promise<void> {
    while (!state.stopped) {
      try {
        // Rejects while Redis is unavailable, even if no work is due. Expired reservations are then settled only
        // `afterOutageMs` after Redis is available again.
        if (await workCheck.hasWork())
          await checkAllShards(options, performance.now() >= state.sweepsFrom ? options.completeRuns() : undefined);
        state.hasLoggedFailure = false;
      } catch (error) {
        state.sweepsFrom = performance.now() + afterOutageMs;
        if (!state.hasLoggedFailure) log.warn({ err: error }, "a round failed; trying again");
        state.hasLoggedFailure = true;
      }
      await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, msUntilSharedTick(roundMs)))]);
    }
  }

  const running = rounds();
  return {
    async [Symbol.asyncDispose]() {
      state.stopped = true;
      sleep.resolve();
      await running;
    },
  };
}

/** Returns the time when the next lease ends, in Unix ms; 0 while events wait, because NATS may be available again. */
async function nextDue(redis: Redis): Promise<number> {
  const [leases, outboxLengths] = await Promise.all([
    Promise.all(shards.map((shard) => firstLeaseEnd(redis, shard))),
    Promise.all(shards.map((shard) => outboxLength(redis, shard))),
  ]);
  return outboxLengths.some((events) => events > 0) ? 0 : Math.min(...leases);
}

async function checkAllShards(options: RoundOptions, runIds: string | undefined): Promise<void> {
  await Promise.all(
    shards.map(async (shard) => {
      if (runIds !== undefined) await sweepShard(shard, options, { runIds });
      await publishLeftovers(shard, options);
    }),
  );
}

/** Dependencies of the work on one shard. */
export type ShardWork = Omit<RoundOptions, "roundMs" | "afterOutageMs" | "completeRuns">;

/**
 * Checks one shard: its abandoned reservations, then its events. `nowMs` is the time for leases; if absent, the current
 * time.
 */
export async function checkShard(shard: string, work: ShardWork, nowMs?: number): Promise<void> {
  await sweepShard(shard, work, { nowMs });
  await publishLeftovers(shard, work);
}

async function sweepShard(shard: string, { redis, log, batch, swept }: ShardWork, bounds: SweepOptions): Promise<void> {
  const dead = await sweepHolds(redis, shard, batch, bounds);
  if (dead.length === 0) return;
  swept.inc(dead.length);
  log.warn({ shard, calls: dead.map(({ event }) => event.id) }, "expired holds settled at their floor");
}

async function publishLeftovers(
  shard: string,
  { redis, bus, log, leftBehindMs, batch, published }: ShardWork,
): Promise<void> {
  if (!bus.connected) return;
  const unpublished = await readUnpublished(redis, shard, leftBehindMs, batch, (error, entryId) =>
    log.error({ err: error, shard, entryId }, "an event in the outbox cannot be read and stays there"),
  );
  if (unpublished.length > 0) published.inc(await publishEntries(redis, bus, [...unpublished]));
}
