import { openCatalog, type CatalogHandle } from "@modelgate/catalog";
import { openRedis, type Environment, type Logger, type Redis, secretsOf } from "@modelgate/platform";
import type { variables } from "./env.ts";
import { createForward, type AreaUrls, type Forward } from "./forward.ts";
import { openSeats, type OpenSeats } from "./open-seats.ts";
import { openTokenCache, type TokenCache } from "./token-cache.ts";

/** What the edge works with; opened once, handed down. */
export interface Deps extends AsyncDisposable {
  readonly redis: Redis;
  readonly catalog: CatalogHandle;
  readonly tokens: TokenCache;
  readonly seats: OpenSeats;
  readonly forward: Forward;
  readonly secret: string;
  readonly corsOrigins: string;
  readonly log: Logger;
  /** Throws why the edge cannot serve now. */
  ready(): void;
}

/** Opens everything once. Rejects where Redis cannot be reached. */
export async function openDeps(env: Environment<typeof variables>, log: Logger): Promise<Deps> {
  await using opening = new AsyncDisposableStack();
  const redis = await openRedis(env.REDIS_URL, log, env.REDIS_TIMEOUT_MS);
  opening.defer(() => redis.disconnect());
  const catalog = opening.use(await openCatalog({ redis, secrets: secretsOf(env), log }));
  const tokens = opening.use(await openTokenCache({ redis, ttlMs: env.TOKEN_CACHE_MS, size: env.TOKEN_CACHE_SIZE }));
  const seats = opening.use(openSeats({ redis, log, leaseMs: env.SEAT_LEASE_MS }));
  const forward = opening.use(
    createForward({
      urls: areaUrls(env),
      log,
      silenceMs: env.SERVICE_SILENCE_MS,
      streamSilenceMs: env.STREAM_SILENCE_MS,
    }),
  );
  const open = opening.move();
  return {
    redis,
    catalog,
    tokens,
    seats,
    forward,
    log,
    secret: env.MODELGATE_SECRET,
    corsOrigins: env.CORS_ORIGINS,
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
      if (!catalog.ready) throw new Error("no configuration yet");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function areaUrls(env: Environment<typeof variables>): AreaUrls {
  const all = {
    text: env.TEXT_URL,
    media: env.MEDIA_URL,
    video: env.VIDEO_URL,
    audio: env.AUDIO_URL,
    realtime: env.REALTIME_URL,
  };
  return Object.fromEntries(Object.entries(all).filter(([, url]) => url !== undefined));
}
