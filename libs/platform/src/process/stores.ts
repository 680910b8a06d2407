import { openBus, type Bus } from "../bus.ts";
import { openContentRedis, openRedis, type Redis } from "../redis.ts";
import type { BusEnv, ContentEnv, StoreEnv } from "../service-variables.ts";
import { shareContentCertificateEnds } from "./content-certificates.ts";
import { announceProcess } from "./presence.ts";
import { RefusedCalls } from "../refused-calls.ts";
import { sharedPart } from "./shared.ts";
import { StartError } from "../start-error.ts";

/** Connects the process to Redis. Rejects with StartError if Redis cannot be reached. */
export const sharedRedis = sharedPart<Pick<StoreEnv, "redis">, Redis>(async (shared, { redis: { url, timeoutMs } }) => {
  const redis = await openRedis(url, shared.log, timeoutMs);
  shared.defer(() => redis.disconnect());
  await refuseNewerData(redis);
  if (shared.announced !== undefined) shared.use(announceProcess(redis, shared.announced));
  return redis;
});

/** Connects to the Redis for clients' content, which may be the same Redis. */
export const sharedContentRedis = sharedPart<Pick<StoreEnv, "redis"> & ContentEnv, Redis>(
  async (shared, { redis, content: { url } }) => {
    if (url === undefined || url === redis.url) return await sharedRedis(shared, { redis });
    const opened = await openContentRedis(url, shared.log, redis.timeoutMs);
    shared.defer(() => opened.disconnect());
    shared.use(shareContentCertificateEnds(await sharedRedis(shared, { redis }), url, shared.log));
    return opened;
  },
);

export const sharedBus = sharedPart<BusEnv, Bus>(async (shared, { bus: { url, limits } }) =>
  shared.use(await openBus(url, shared.log, limits)),
);

/** Opens the publisher of a process's refused calls. */
export const sharedRefusedCalls = sharedPart<Pick<StoreEnv, "redis">, RefusedCalls>(async (shared, env) =>
  shared.use(new RefusedCalls(await sharedRedis(shared, env))),
);

/** Version of the data in Redis. Raise it if earlier versions would misread a changed format. */
export const dataVersion = 2;

/** Sorted set with one member, whose score is the highest version that has run on this Redis. */
const dataVersionKey = "data-version";

/** Records this version in Redis. Throws StartError if a newer version has run on this Redis. */
export async function refuseNewerData(redis: Redis, version = dataVersion): Promise<void> {
  await redis.zadd(dataVersionKey, "GT", version, "newest");
  const newest = Number(await redis.zscore(dataVersionKey, "newest"));
  if (newest > version)
    throw new StartError(
      `Redis holds data of a newer version: its format is ${newest}, and this version supports ${version}. Start the newer version, or restore a backup from before it.`,
    );
}
