import { sharedCatalog, type CatalogHandle } from "@modelgate/catalog";
import { sharedRedis, type Logger, type Redis, type ServiceContext } from "@modelgate/platform";
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
  readonly corsOrigins: string;
  readonly log: Logger;
  /** Throws why the edge cannot serve now. */
  ready(): void;
}

/** Opens everything once. Rejects where Redis cannot be reached. */
export async function openDeps({
  env,
  log,
  shared,
  areas,
}: Pick<ServiceContext<Env>, "env" | "log" | "shared" | "areas">): Promise<Deps> {
  await using opening = new AsyncDisposableStack();
  const redis = await sharedRedis(shared, env);
  const catalog = await sharedCatalog(shared, env);
  const tokens = opening.use(await openTokenCache({ redis, ...env.tokenCache }));
  const seats = opening.use(openSeats({ redis, log, leaseMs: env.seatLeaseMs }));
  const { silence, secrets } = env;
  const forward = opening.use(createForward({ areas, urls: areaUrls(env), secret: secrets[0], log, ...silence }));
  const open = opening.move();
  return {
    redis,
    catalog,
    tokens,
    seats,
    forward,
    log,
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
