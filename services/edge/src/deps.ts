import { sharedCatalog, type CatalogHandle } from "@modelgate/catalog";
import {
  sharedRedis,
  sharedRefusedCalls,
  type LocalAreas,
  type Logger,
  type Redis,
  type RefusedCalls,
  type ServiceContext,
} from "@modelgate/platform";
import { AreaProxy } from "./area-proxy.ts";
import type { Env } from "./env.ts";
import { openSeats, type OpenSeats } from "./open-seats.ts";
import { SharedCallers } from "./shared-callers.ts";
import { openTokenCache, type TokenCache } from "./token-cache.ts";

/** Dependencies of the edge's steps. */
export interface Deps extends AsyncDisposable {
  readonly redis: Redis;
  readonly catalog: CatalogHandle;
  readonly seats: OpenSeats;
  /** Areas that this process serves. Calls of other areas go through `proxy`. */
  readonly areas: LocalAreas;
  readonly proxy: AreaProxy;
  readonly callers: SharedCallers;
  readonly tokens: TokenCache;
  readonly corsOrigins: string;
  /** Number of proxies in front of the edge that add an address to X-Forwarded-For. */
  readonly proxies: number;
  readonly refused: Pick<RefusedCalls, "add">;
  readonly log: Logger;
  ready(): void;
}

/** Opens all dependencies. Rejects if Redis cannot be reached. */
export async function openDeps({ env, log, shared, areas }: ServiceContext<Env>): Promise<Deps> {
  await using opening = new AsyncDisposableStack();
  const redis = await sharedRedis(shared, env);
  const catalog = await sharedCatalog(shared, env);
  const tokens = opening.use(await openTokenCache({ redis, ...env.tokenCache }));
  const seats = opening.use(openSeats({ redis, log, leaseMs: env.seatLeaseMs }));
  const proxy = opening.use(new AreaProxy({ urls: env.areas, log, ...env.silence }));
  const resources = opening.move();
  return {
    redis,
    catalog,
    tokens,
    seats,
    areas,
    proxy,
    callers: new SharedCallers(env.secrets[0]),
    refused: await sharedRefusedCalls(shared, env),
    log,
    corsOrigins: env.corsOrigins,
    proxies: env.proxies,
    ready() {
      if (redis.status !== "ready") throw new Error("redis is unavailable");
      if (!catalog.ready) throw new Error("no configuration yet");
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
