import { readCertificateEnd } from "../certificate-end.ts";
import { runOnSharedTick } from "../shared-tick.ts";
import type { Logger } from "../log.ts";
import type { Redis } from "../redis.ts";
import { readRedisUrl } from "../redis-url.ts";

const key = "certificates:content";
const hourMs = 3_600_000;
const keepSeconds = (3 * hourMs) / 1_000;

/**
 * Stores the times at which the certificates of the servers at `url` (CONTENT_REDIS_URL) expire, every hour, in
 * `redis`. The ledger watches certificates, but cannot connect to those servers.
 */
export function shareContentCertificateEnds(redis: Redis, url: string, log: Logger): Disposable {
  const share = (): void =>
    void storeContentCertificateEnds(redis, url).catch((error: unknown) =>
      log.debug({ err: error }, "certificates of the content's redis not shared"),
    );
  share();
  return runOnSharedTick(hourMs, share);
}

export async function storeContentCertificateEnds(redis: Redis, url: string): Promise<void> {
  const address = readRedisUrl(url, "CONTENT_");
  if (!address.tls) return;
  const ends: Record<string, string> = {};
  for (const { host, port } of address.kind === "single" ? [address.node] : address.nodes) {
    const end = await readCertificateEnd({ host, port });
    if (end !== undefined) ends[`${host}:${port}`] = end;
  }
  if (Object.keys(ends).length === 0) return;
  await redis.multi().del(key).hset(key, ends).expire(key, keepSeconds).exec();
}

/** Reads when the certificates expire, by `host:port`. */
export async function readContentCertificateEnds(redis: Redis): Promise<ReadonlyMap<string, string>> {
  return new Map(Object.entries(await redis.hgetall(key)));
}
