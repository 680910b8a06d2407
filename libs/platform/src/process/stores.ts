import { openBus, type Bus } from "../bus.ts";
import { openRedis, type Redis } from "../redis.ts";
import type { BusEnv, ContentEnv, StoreEnv } from "../service-variables.ts";
import { announceProcess } from "./presence.ts";
import { refuseNewerData } from "../data-version.ts";
import { RefusedCalls } from "../refused-calls.ts";
import { sharedPart } from "./shared.ts";

/** The connection to Redis of a process, which is seen there from then on. Rejects with a StartError where it cannot be reached. */
export const sharedRedis = sharedPart<Pick<StoreEnv, "redis">, Redis>(async (shared, { redis: { url, timeoutMs } }) => {
  const redis = await openRedis(url, shared.log, timeoutMs);
  shared.defer(() => redis.disconnect());
  await refuseNewerData(redis);
  if (shared.self !== undefined) shared.use(announceProcess(redis, shared.self));
  return redis;
});

/** The connection to the Redis of clients' content: that of the process, or one of its own. */
export const sharedContentRedis = sharedPart<Pick<StoreEnv, "redis"> & ContentEnv, Redis>(
  async (shared, { redis, content: { url } }) => {
    if (url === undefined || url === redis.url) return await sharedRedis(shared, { redis });
    const opened = await openRedis(url, shared.log, redis.timeoutMs);
    shared.defer(() => opened.disconnect());
    return opened;
  },
);

/** The connection to NATS of a process. */
export const sharedBus = sharedPart<BusEnv, Bus>(async (shared, { bus: { url, limits } }) =>
  shared.use(await openBus(url, shared.log, limits)),
);

/** The way of a process's refused calls to the ledger. */
export const sharedRefusedCalls = sharedPart<Pick<StoreEnv, "redis">, RefusedCalls>(async (shared, env) =>
  shared.use(new RefusedCalls(await sharedRedis(shared, env))),
);
