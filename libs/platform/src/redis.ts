import { once } from "node:events";
import { Cluster, Redis as Single } from "ioredis";
import { Failure, present } from "@modelgate/contracts";
import { certificateRefused, handshakeError, withoutCertificate } from "./certificate.ts";
import { StartError } from "./start-error.ts";
import type { Logger } from "./log.ts";
import { breakWhenSlow } from "./redis-breaker.ts";
import { observeStore } from "./metrics.ts";
import { readRedisUrl, type RedisAddress } from "./redis-url.ts";
import { scriptTexts } from "./script/lua.ts";
import { storeAway } from "./store-failure.ts";

/** One Redis, the master that Sentinels name, or a Redis Cluster; callers see no difference. */
export type Redis = Single | Cluster;

/** Maximum time that a start waits for Redis. */
const connectWithinMs = 30_000;
/** Maximum time that a start waits for the Redis of content. */
const firstAttemptMs = 3_000;
/** Longest pause between two attempts to connect again. */
const longestPauseMs = 1_000;
/**
 * Pause between two looks whether a Redis that was started again has loaded its data. Its own guess of how long that takes
 * is far too long at the beginning, and the client would wait for as much, up to ten seconds.
 */
const loadingPauseMs = 250;
/** Maximum number of times that a command follows a slot that has moved, or waits for a shard's new master. */
const maxRedirections = 5;

/** A primary that has become a replica keeps its connections where it was not restarted: the new one is looked for. */
const isDemoted = (error: Error): boolean => error.message.includes("READONLY");

const pauseOf = (attempt: number): number => Math.min(attempt * 50, longestPauseMs);

/**
 * A connection that fails fast: a command is answered within `timeoutMs` or rejected, and nothing queues up while
 * Redis is away. After a command that was not answered in time those that follow fail at once, until Redis answers
 * again (`breakWhenSlow`). It connects again by itself for as long as the process lives. Several addresses, or one that
 * says `redis+cluster:`, are a Redis Cluster; `redis+sentinel:` names Sentinels (see redis-url.ts).
 */
export async function openRedis(url: string, log: Logger, timeoutMs = 1_000): Promise<Redis> {
  const address = readRedisUrl(url, "");
  const redis = observed(connectionTo(address), "redis", log, timeoutMs);
  await untilReady(redis, address);
  await loadScripts(redis, log);
  return redis;
}

/**
 * Connects to the Redis of clients' content in the background and for good: a start waits for no more than the first
 * attempt, since calls that keep nothing are served without it. Throws StartError where its certificate is refused.
 */
export async function openContentRedis(url: string, log: Logger, timeoutMs: number): Promise<Redis> {
  const address = readRedisUrl(url, "CONTENT_");
  observeStore("content", false); // from the start: without a sample no alert fires
  const redis = observed(connectionTo(address), "content", log.child({ store: "content" }), timeoutMs);
  redis.once("ready", () => void loadScripts(redis, log));
  const attempt = once(redis, "ready", { signal: AbortSignal.timeout(firstAttemptMs) });
  redis.connect().catch(() => undefined); // the retry strategy goes on; "error" has been logged
  const isReached = await attempt.then(
    () => true,
    () => false,
  );
  const problem = isReached ? undefined : await certificateProblem(address);
  if (problem === undefined) return redis;
  redis.disconnect();
  throw problem;
}

/** Limits the commands of a connection in time, and logs and counts when it is lost and found. */
function observed(redis: Redis, store: "redis" | "content", log: Logger, timeoutMs: number): Redis {
  if (redis instanceof Cluster) redis.on("+node", (node: Single) => breakWhenSlow(node, log, timeoutMs));
  else breakWhenSlow(redis, log, timeoutMs);
  let complained = false;
  redis.on("error", (error: Error) => {
    if (!complained) log.warn({ err: withoutCertificate(error) }, "redis is away");
    complained = true;
  });
  redis.on("close", () => observeStore(store, false));
  redis.on("ready", () => {
    observeStore(store, true);
    if (complained) log.info("redis is back");
    complained = false;
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
      maxRedirections: maxRedirections,
      clusterRetryStrategy: pauseOf,
      // Certificates name hosts: nodes are reached by the names that they give.
      ...(tls ? { dnsLookup: (host: string, found: (error: null, address: string) => void) => found(null, host) } : {}),
    });
  const single = {
    ...command,
    lazyConnect: true,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    retryStrategy: pauseOf,
    reconnectOnError: isDemoted,
    db: address.database,
  };
  if (address.kind === "single") return new Single({ ...single, ...address.node });
  return new Single({
    ...single,
    sentinels: [...address.nodes],
    name: address.master,
    sentinelRetryStrategy: pauseOf,
    ...present({ sentinelPassword: address.sentinelPassword }),
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  });
}

/** Gives Redis the process's scripts before the first calls come; what is missing later is sent with its call. */
async function loadScripts(redis: Redis, log: Logger): Promise<void> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const texts = Array.from(scriptTexts, (text) => text());
  const loads = nodes.flatMap((node) => texts.map((text) => node.script("LOAD", text)));
  await Promise.all(loads).catch((error: unknown) => log.debug({ err: error }, "scripts not loaded in advance"));
}

async function untilReady(redis: Redis, address: RedisAddress): Promise<void> {
  const ready = new Promise<void>((resolve) => void redis.once("ready", resolve));
  redis.connect().catch(() => undefined); // the retry strategy goes on; "error" has been logged
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

/** Returns the error in the certificates of the servers of an address. */
async function certificateProblem(address: RedisAddress): Promise<StartError | undefined> {
  if (!address.tls) return undefined;
  const errors = await Promise.all((address.kind === "single" ? [address.node] : address.nodes).map(handshakeError));
  return errors.map((error) => certificateRefused("Redis", error)).find((problem) => problem !== undefined);
}

/**
 * Opens a second connection for subscriptions. It retries without a limit while Redis is unavailable, because no caller
 * waits for it. In a cluster one node is enough: each node delivers the messages that any node publishes.
 */
export function openSubscriber(redis: Redis): Redis {
  const patient = { maxRetriesPerRequest: null, autoResubscribe: true };
  const eager = { lazyConnect: false, enableOfflineQueue: true };
  if (!(redis instanceof Cluster)) return redis.duplicate({ ...patient, ...eager });
  const { replyMapping: _plain, ...command } = redis.options.redisOptions ?? {};
  return redis.duplicate([], { ...eager, redisOptions: { ...command, ...patient } });
}

/** Runs a step that money or limits hang on; Redis away or slow is a 503, never a free pass. */
export async function orUnavailable<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw storeAway(error);
  }
}
