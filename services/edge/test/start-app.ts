import type { Server } from "node:http";
import { openCatalog } from "@modelgate/catalog";
import { createLogger, openRedis, type Logger, type Redis } from "@modelgate/platform";
import { startHttpServer, startLocalBackends, type TestServer } from "@modelgate/testkit";
import { SharedCallers } from "../src/shared-callers.ts";
import { createApp } from "../src/app.ts";
import { AreaProxy } from "../src/area-proxy.ts";
import { openSeats } from "../src/open-seats.ts";
import { openTokenCache } from "../src/token-cache.ts";

/** Edge without services, in the process of its test. */
export interface TestApp extends TestServer<Server> {
  readonly redis: Redis;
  readonly log: Logger;
}

/** Starts an edge that knows no service, with an empty Redis. */
export async function startApp(): Promise<TestApp> {
  await using opening = new AsyncDisposableStack();
  const { log } = createLogger("test", "silent");
  const backends = opening.use(await startLocalBackends());
  const redis = opening.adopt(await openRedis(backends.redisUrl, log), (open) => open.disconnect());
  const { handler, upgrade } = createApp({
    redis,
    log,
    catalog: opening.use(await openCatalog({ redis, secrets: ["a secret of some length"], log })),
    tokens: opening.use(await openTokenCache({ redis, ttlMs: 1_000, size: 10 })),
    seats: opening.use(openSeats({ redis, log, leaseMs: 30_000 })),
    areas: new Map(),
    proxy: opening.use(new AreaProxy({ urls: {}, log, silenceMs: 1_000, streamSilenceMs: 1_000 })),
    callers: new SharedCallers("a secret of some length"),
    refused: { add: () => undefined },
    corsOrigins: "https://page.example",
    proxies: 0,
    ready: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
  const server = opening.use(await startHttpServer(handler));
  server.server.on("upgrade", upgrade);
  const open = opening.move();
  return { ...server, redis, log, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
