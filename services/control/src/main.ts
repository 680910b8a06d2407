import { openCatalog } from "@modelgate/catalog";
import { openTransport } from "@modelgate/channels";
import { bySecret, openRedis, operatorHandler, runService, secretsOf } from "@modelgate/platform";
import { accountRoutes } from "./api/accounts.ts";
import { billRoutes } from "./api/bill.ts";
import { bookRoutes } from "./api/books.ts";
import { channelRoutes } from "./api/channels.ts";
import { modelRoutes } from "./api/models.ts";
import { priceRoutes } from "./api/prices.ts";
import { tokenRoutes } from "./api/tokens.ts";
import { bySession } from "./console/authorise.ts";
import { withPages } from "./console/pages.ts";
import { sessionRoutes } from "./console/session-routes.ts";
import { Sessions } from "./console/sessions.ts";
import { followConfiguration } from "./configuration/follow.ts";
import { namedVariables } from "./configuration/names.ts";
import { variables } from "./env.ts";

await runService(
  "control",
  variables,
  (env) => ({
    host: env.HOST,
    port: env.CONTROL_PORT,
    opsPort: env.CONTROL_OPS_PORT,
    logLevel: env.LOG_LEVEL,
    drainMs: env.DRAIN_MS,
  }),
  async ({ env, log }) => {
    await using opening = new AsyncDisposableStack();
    const redis = await openRedis(env.REDIS_URL, log, env.REDIS_TIMEOUT_MS);
    opening.defer(() => redis.disconnect());
    const secrets = secretsOf(env);
    const follower = opening.use(
      await followConfiguration(
        { redis, secrets, log, names: namedVariables() },
        env.MODELGATE_CONFIG,
        env.CONFIG_POLL_MS,
      ),
    );
    const catalog = opening.use(await openCatalog({ redis, secrets, log }));
    const transport = opening.use(openTransport());
    const open = opening.move();
    const sessions = new Sessions(redis);
    const routes = {
      ...sessionRoutes(sessions, env.CONSOLE_URL),
      ...accountRoutes(redis),
      ...tokenRoutes(redis),
      ...channelRoutes({ redis, catalog, transport }),
      ...bookRoutes(env.LEDGER_URL, env.MODELGATE_SECRET),
      ...priceRoutes(redis),
      ...modelRoutes(redis),
      ...billRoutes(redis),
      "GET /config": async () => ({ ...follower.status, edgeUrl: env.EDGE_URL ?? null }),
    };
    return {
      handler: withPages(operatorHandler(routes, bySession(sessions, bySecret(secrets)), log), env.EDGE_URL),
      ready() {
        if (redis.status !== "ready") throw new Error("redis is away");
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
);
