import { openBus, type Bus } from "../bus.ts";
import { openRedis, type Redis } from "../redis.ts";
import type { BusEnv, StoreEnv } from "../service-variables.ts";
import { announceProcess } from "./presence.ts";
import { refuseNewerData } from "../data-version.ts";
import { sharedPart } from "./shared.ts";

/** The connection to Redis of a process, which is seen there from then on. Rejects with a StartError where it cannot be reached. */
export const sharedRedis = sharedPart<Pick<StoreEnv, "redis">, Redis>(async (shared, { redis: { url, timeoutMs } }) => {
  const redis = await openRedis(url, shared.log, timeoutMs);
  shared.defer(() => redis.disconnect());
  await refuseNewerData(redis);
  if (shared.self !== undefined) shared.use(announceProcess(redis, shared.self));
  return redis;
});

/** The connection to NATS of a process. */
export const sharedBus = sharedPart<BusEnv, Bus>(async (shared, { bus: { url, limits } }) =>
  shared.use(await openBus(url, shared.log, limits)),
);
