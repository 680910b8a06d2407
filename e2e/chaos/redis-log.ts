import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";

export async function onRedis<T>(url: string, command: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await command(redis);
  } finally {
    redis.disconnect();
  }
}

/** Returns the folder of Redis' append-only log. */
export async function logFolder(url: string): Promise<string> {
  return join(await onRedis(url, async (redis) => (await redis.config("GET", "dir"))[1] ?? ""), "appendonlydir");
}

/**
 * Returns the newest file of Redis' log, and its length. A log that is cut to this length restores the current state.
 */
export async function newestLog(url: string): Promise<{ readonly file: string; readonly bytes: number }> {
  const folder = await logFolder(url);
  const parts = readdirSync(folder).filter((name) => name.endsWith(".incr.aof"));
  const file = join(folder, parts.toSorted().at(-1) ?? "");
  return { file, bytes: statSync(file).size };
}
