import { openCatalog, type CatalogHandle } from "@modelgate/catalog";
import { openRedis, type Logger, type Redis } from "@modelgate/platform";
import type { Env } from "./env.ts";
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
export async function openDeps(env: Env, log: Logger): Promise<Deps> {
  await using opening = new AsyncDisposableStack();
  const redis = await openRedis(env.redis.url, log, env.redis.timeoutMs);
  opening.defer(() => redis.disconnect());
  const catalog = opening.use(await openCatalog({ redis, secrets: env.secrets, log }));
  const tokens = opening.use(await openTokenCache({ redis, ...env.tokenCache }));
  const seats = opening.use(openSeats({ redis, log, leaseMs: env.seatLeaseMs }));
  const forward = opening.use(createForward({ urls: areaUrls(env), log, ...env.silence }));
  const open = opening.move();
  return {
    redis,
    catalog,
    tokens,
    seats,
    forward,
    log,
    secret: env.secrets[0],
    corsOrigins: env.corsOrigins,
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
      if (!catalog.ready) throw new Error("no configuration yet");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function areaUrls({ areas }: Env): AreaUrls {
  return Object.fromEntries(Object.entries(areas).filter(([, url]) => url !== undefined));
}
