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
   * Time in ms after an outage of Redis in which expired holds are not settled, because their services may be alive.
   */
  readonly afterOutageMs: number;
  readonly batch: number;
  /**
   * Returns the run ids of the Redis servers if they have everything that the books have; otherwise undefined. A server
   * that lost data may have holds of calls that are already settled.
   */
  readonly completeRuns: () => string | undefined;
  readonly published: Counter;
  readonly swept: Counter;
}

/**
 * Checks all shards periodically: settles abandoned holds at their floor, and publishes abandoned events. After an
 * outage of Redis, services first get time to settle their calls at the real cost. Several ledgers may do this at the
 * same time: a script settles each hold once, and JetStream drops a second message with the same `Nats-Msg-Id`.
 */
export function startRounds(options: RoundOptions): AsyncDisposable {
  const { log, roundMs, afterOutageMs } = options;
  const state = { isStopped: false, hasLoggedFailure: false, sweepsFrom: 0 };
  const sleep = Promise.withResolvers<void>();
  const workCheck = new WorkCheck({
    redis: options.redis,
    graceMs: options.leftBehindMs + 2 * roundMs,
    nextDue: () => nextDue(options.redis),
  });

  async function rounds(): Promise<void> {
    while (!state.isStopped) {
      try {
        // Rejects while Redis is unavailable, so that holds are settled only `afterOutageMs` after the outage.
        if (await workCheck.hasWork())
          await checkAllShards(options, performance.now() >= state.sweepsFrom ? options.completeRuns() : undefined);
        state.hasLoggedFailure = false;
      } catch (error) {
        state.sweepsFrom = performance.now() + afterOutageMs;
        if (!state.hasLoggedFailure) log.warn({ err: error }, "checking the shards failed; trying again");
        state.hasLoggedFailure = true;
      }
      await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, msUntilSharedTick(roundMs)))]);
    }
  }

  const running = rounds();
  return {
    async [Symbol.asyncDispose]() {
      state.isStopped = true;
      sleep.resolve();
      await running;
    },
  };
}

/** Returns the end of the next lease in Unix ms; 0 if events wait. */
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

/** Settles abandoned holds and publishes abandoned events of a shard. */
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
  if (unpublished.length > 0) published.inc(await publishEntries(redis, bus, [...unpublished], log));
}
