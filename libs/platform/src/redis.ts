import { Redis } from "ioredis";
import { Failure } from "@modelgate/contracts";
import { StartError } from "./env.ts";
import type { Logger } from "./log.ts";
import { breakWhenSlow } from "./redis-breaker.ts";

export type { Redis } from "ioredis";

/** How long a start waits for Redis before it gives up. */
const connectWithinMs = 30_000;
/** Longest pause between two attempts to connect again. */
const longestPauseMs = 1_000;

/**
 * A connection that fails fast: a command is answered within `timeoutMs` or rejected, and nothing queues up while
 * Redis is away. After a command that was not answered in time those that follow fail at once, until Redis answers
 * again (`breakWhenSlow`). It connects again by itself for as long as the process lives.
 */
export async function openRedis(url: string, log: Logger, timeoutMs = 1_000): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, longestPauseMs),
  });
  breakWhenSlow(redis, log);
  let complained = false;
  redis.on("error", (error: Error) => {
    if (!complained) log.warn({ err: error }, "redis is away");
    complained = true;
  });
  redis.on("ready", () => {
    if (complained) log.info("redis is back");
    complained = false;
  });
  await untilReady(redis);
  return redis;
}

async function untilReady(redis: Redis): Promise<void> {
  const ready = new Promise<void>((resolve) => void redis.once("ready", resolve));
  redis.connect().catch(() => undefined); // the retry strategy goes on; "error" has been logged
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(
    () => timer.reject(new StartError("Redis did not answer: is REDIS_URL right?", 1)),
    connectWithinMs,
  );
  try {
    await Promise.race([ready, timer.promise]);
  } catch (error) {
    redis.disconnect();
    throw error;
  } finally {
    clearTimeout(timeout);
  }
}

/** A second connection for subscriptions; it waits in line for Redis to come back, since it answers nobody. */
export function openSubscriber(redis: Redis): Redis {
  return redis.duplicate({
    lazyConnect: false,
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    autoResubscribe: true,
    commandTimeout: undefined,
  });
}

/** Runs a step that money or limits hang on; Redis away or slow is a 503, never a free pass. */
export async function orUnavailable<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("server_overloaded", "The gateway's store is away or slow; try again shortly.", {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
}
