import { Cluster, type Redis as Single } from "ioredis";
import type { Redis } from "./redis.ts";
import { runOnSharedTick } from "./shared-tick.ts";

/** Interval in ms of the PINGs on a connection for subscriptions, which otherwise sends nothing. */
const defaultPingMs = 2_000;
/** Number of PINGs without an answer after which the connection is replaced. */
const maxUnansweredPings = 3;

/**
 * Opens a second connection, for subscriptions. It is replaced if Redis no longer answers, because a host that has
 * vanished never closes it. In a Cluster it uses one node, because each node delivers the messages of all nodes; only
 * TCP keep-alive (40 s) ends that connection.
 */
export function openSubscriber(redis: Redis, pingMs = defaultPingMs): Redis {
  const patient = { maxRetriesPerRequest: null, autoResubscribe: true };
  const eager = { lazyConnect: false, enableOfflineQueue: true };
  if (redis instanceof Cluster) {
    const { replyMapping: _plain, ...command } = redis.options.redisOptions ?? {};
    return redis.duplicate([], { ...eager, redisOptions: { ...command, ...patient } });
  }
  const subscriber = redis.duplicate({ ...patient, ...eager });
  replaceIfSilent(subscriber, pingMs);
  return subscriber;
}

function replaceIfSilent(subscriber: Single, pingMs: number): void {
  let unanswered = 0;
  const answered = (): void => void (unanswered = 0);
  const pings = runOnSharedTick(pingMs, () => {
    const { status } = subscriber;
    if (status !== "connect" && status !== "ready") return;
    // Redis may also stop while the connection is prepared.
    if (unanswered++ === maxUnansweredPings) subscriber.stream.destroy();
    else if (status === "ready") subscriber.ping().then(answered, () => undefined);
  });
  subscriber.on("connect", answered).once("end", () => pings[Symbol.dispose]());
}
