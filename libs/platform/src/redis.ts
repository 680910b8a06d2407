import { once } from "node:events";
import { Cluster, Redis as Single, type ChainableCommander } from "ioredis";
import { Failure, withoutUndefined } from "@modelgate/contracts";
import { refusedCertificateError, tryHandshake, withoutCertificate } from "./certificate.ts";
import { StartError } from "./start-error.ts";
import type { Logger } from "./log.ts";
import { addTimeoutAndBreaker } from "./redis-breaker.ts";
import { observeStore } from "./metrics.ts";
import { readRedisUrl, type RedisAddress } from "./redis-url.ts";
import { scriptTexts } from "./script/lua.ts";
import { storeUnavailable } from "./store-failure.ts";

/** Client of one Redis server, of a Sentinel's master, or of a Redis Cluster. */
export type Redis = Single | Cluster;

const connectWithinMs = 30_000;
const firstAttemptMs = 3_000;
const maxPauseMs = 1_000;
/**
 * Pause in ms between two checks whether a restarted Redis has loaded its data. By default ioredis waits for Redis'
 * estimate, which is far too long at first.
 */
const loadingPauseMs = 250;
/** Maximum number of repetitions of a command in a cluster, because a slot has moved or a shard has no master. */
const maxRedirections = 5;

/**
 * A server that has become a replica may keep its connections, so the client must reconnect to find the new primary.
 */
const isDemoted = (error: Error): boolean => error.message.includes("READONLY");

const reconnectPauseMs = (attempt: number): number => Math.min(attempt * 50, maxPauseMs);

/**
 * Opens a connection to Redis that fails fast (see `addTimeoutAndBreaker`) and reconnects. For the formats of `url`,
 * see `readRedisUrl`.
 */
export async function openRedis(url: string, log: Logger, timeoutMs = 1_000): Promise<Redis> {
  const address = readRedisUrl(url, "");
  const redis = withTimeoutsAndLogging(connectionTo(address), "redis", log, timeoutMs);
  await untilReady(redis, address);
  await loadScripts(redis, log);
  return redis;
}

/**
 * Connects in the background to the Redis for clients' content. Waits only for the first attempt, because other calls
 * work without this Redis. Throws StartError if its certificate is refused.
 */
export async function openContentRedis(url: string, log: Logger, timeoutMs: number): Promise<Redis> {
  const address = readRedisUrl(url, "CONTENT_");
  observeStore("content", false); // set at the start, because an alert cannot fire without a sample
  const redis = withTimeoutsAndLogging(connectionTo(address), "content", log.child({ store: "content" }), timeoutMs);
  redis.once("ready", () => void loadScripts(redis, log));
  const attempt = once(redis, "ready", { signal: AbortSignal.timeout(firstAttemptMs) });
  redis.connect().catch(() => undefined); // the client retries; "error" has been logged
  const isReached = await attempt.then(
    () => true,
    () => false,
  );
  const problem = isReached ? undefined : await certificateProblem(address);
  if (problem === undefined) return redis;
  redis.disconnect();
  throw problem;
}

function withTimeoutsAndLogging(redis: Redis, store: "redis" | "content", log: Logger, timeoutMs: number): Redis {
  if (redis instanceof Cluster) redis.on("+node", (node: Single) => addTimeoutAndBreaker(node, log, timeoutMs));
  else addTimeoutAndBreaker(redis, log, timeoutMs);
  let hasLogged = false;
  redis.on("error", (error: Error) => {
    if (!hasLogged) log.warn({ err: withoutCertificate(error) }, "redis is unavailable");
    hasLogged = true;
  });
  redis.on("close", () => observeStore(store, false));
  redis.on("ready", () => {
    observeStore(store, true);
    if (hasLogged) log.info("redis is connected again");
    hasLogged = false;
  });
  return redis;
}

function connectionTo(address: RedisAddress): Redis {
  const { credentials, tls } = address;
  const command = {
    ...credentials,
    ...(tls ? { tls: {} } : {}),
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    maxLoadingRetryTime: loadingPauseMs,
  };
  if (address.kind === "cluster")
    return new Cluster([...address.nodes], {
      lazyConnect: true,
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      redisOptions: command,
      maxRedirections,
      clusterRetryStrategy: reconnectPauseMs,
      // ioredis replaces the configured host names by IP addresses, but certificates contain host names. So this lookup
      // returns the host name.
      ...(tls
        ? { dnsLookup: (host: string, callback: (error: null, address: string) => void) => callback(null, host) }
        : {}),
    });
  const single = {
    ...command,
    lazyConnect: true,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    retryStrategy: reconnectPauseMs,
    reconnectOnError: isDemoted,
    db: address.database,
  };
  if (address.kind === "single") return new Single({ ...single, ...address.node });
  return new Single({
    ...single,
    sentinels: [...address.nodes],
    name: address.master,
    sentinelRetryStrategy: reconnectPauseMs,
    ...withoutUndefined({ sentinelPassword: address.sentinelPassword }),
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  });
}

/** Loads all scripts in advance. A script that is missing later is sent with its call. */
async function loadScripts(redis: Redis, log: Logger): Promise<void> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const texts = Array.from(scriptTexts, (text) => text());
  const loads = nodes.flatMap((node) => texts.map((text) => node.script("LOAD", text)));
  await Promise.all(loads).catch((error: unknown) => log.debug({ err: error }, "scripts not loaded in advance"));
}

async function untilReady(redis: Redis, address: RedisAddress): Promise<void> {
  const ready = new Promise<void>((resolve) => void redis.once("ready", resolve));
  redis.connect().catch(() => undefined); // the client retries; "error" has been logged
  const failed = Promise.withResolvers<never>();
  const timeout = setTimeout(
    () => failed.reject(new StartError("Redis did not answer: is REDIS_URL right?", 1)),
    connectWithinMs,
  );
  redis.once("error", () => void certificateProblem(address).then((problem) => problem && failed.reject(problem)));
  try {
    await Promise.race([ready, failed.promise]);
  } catch (error) {
    redis.disconnect();
    throw error;
  } finally {
    clearTimeout(timeout);
  }
}

async function certificateProblem(address: RedisAddress): Promise<StartError | undefined> {
  if (!address.tls) return undefined;
  const errors = await Promise.all((address.kind === "single" ? [address.node] : address.nodes).map(tryHandshake));
  return errors.map((error) => refusedCertificateError("Redis", error)).find((problem) => problem !== undefined);
}

/** Executes a Redis transaction. Throws the first error of its commands. */
export async function executeTransaction(transaction: ChainableCommander): Promise<void> {
  for (const [error] of (await transaction.exec()) ?? []) if (error !== null) throw error;
}

/**
 * Waits for a step in Redis that enforces a limit. Errors become Failure server_overloaded (503), so that no call
 * bypasses the limit.
 */
export function orUnavailable<T>(step: Promise<T>): Promise<T> {
  return step.catch(throwUnavailable);
}

function throwUnavailable(error: unknown): never {
  throw error instanceof Failure ? error : storeUnavailable(error);
}
