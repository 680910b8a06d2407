import type { Redis } from "./redis.ts";
import { StartError } from "./start-error.ts";

/**
 * Version of what the services keep in Redis. It is raised with a change of a format after which an earlier version would read
 * the data wrongly; the books have their own list of migrations.
 */
export const dataVersion = 1;

/** Sorted set with one member, whose score only grows: the newest version that has run on this Redis. */
const dataVersionKey = "data-version";

/** Records this version in Redis. Throws StartError, one line, where a newer one has run on it. */
export async function refuseNewerData(redis: Redis, version = dataVersion): Promise<void> {
  await redis.zadd(dataVersionKey, "GT", version, "newest");
  const newest = Number(await redis.zscore(dataVersionKey, "newest"));
  if (newest > version)
    throw new StartError(
      `Redis holds data of a newer version: its format is ${newest}, and this version knows ${version}. Start the newer version, or restore a backup from before it.`,
    );
}
