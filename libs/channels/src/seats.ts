import { defineScript, replyList, type Logger, type Redis } from "@modelgate/platform";
import type { CatalogChannel } from "@modelgate/catalog";

/** Seats on channels that limit their concurrency, as leases in Redis. */
export interface ChannelSeats extends AsyncDisposable {
  /** Takes a seat; undefined where the channel is full. Channels without a limit have seats for all. */
  take(channel: CatalogChannel, permit: string): Promise<Disposable | undefined>;
}

const leaseMs = 30_000;
const renewMs = 10_000;
const keyOf = (channelId: string): string => `channel-seats:{${channelId}}`;
const run = defineScript(new URL("take-seat.lua", import.meta.url), replyList);
const free: Disposable = { [Symbol.dispose]: () => undefined };

export function openChannelSeats({ redis, log }: { redis: Redis; log: Logger }): ChannelSeats {
  const open = new Map<string, string>();
  const quietly = (step: Promise<unknown>): void =>
    void step.catch((error: unknown) => log.debug({ err: error }, "channel seats not renewed"));
  const timer = setInterval(() => {
    const expiry = Date.now() + leaseMs;
    for (const [permit, channelId] of open) {
      quietly(redis.zadd(keyOf(channelId), "XX", expiry, permit));
      quietly(redis.pexpire(keyOf(channelId), leaseMs * 2));
    }
  }, renewMs);
  timer.unref();
  return {
    async take({ id, maxConcurrency }, permit) {
      if (maxConcurrency === undefined) return free;
      const [verdict] = await run(redis, [keyOf(id)], [permit, maxConcurrency, leaseMs]);
      if (verdict !== "taken") return undefined;
      open.set(permit, id);
      return {
        [Symbol.dispose]: () => {
          if (open.delete(permit)) quietly(redis.zrem(keyOf(id), permit));
        },
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
