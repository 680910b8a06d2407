import { openCatalog } from "@modelgate/catalog";
import { openTransport } from "@modelgate/channels";
import { bySecret, openRedis, operatorHandler, runService } from "@modelgate/platform";
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
import { VendorLists } from "./configuration/vendor-lists.ts";
import { namedVariables } from "./configuration/names.ts";
import { variables } from "./env.ts";
import { ledgerAt } from "./ledger.ts";

await runService(variables, async ({ env, log }) => {
  await using opening = new AsyncDisposableStack();
  const redis = await openRedis(env.redis.url, log, env.redis.timeoutMs);
  opening.defer(() => redis.disconnect());
  const { secrets } = env;
  const ledger = ledgerAt(env.ledgerUrl, secrets[0]);
  const transport = opening.use(openTransport());
  const lists = new VendorLists({ redis, transport, log, everyMs: env.configuration.listModelsMs });
  const follower = opening.use(
    await followConfiguration(
      { redis, ledger, secrets, log, lists, names: namedVariables() },
      env.configuration.path,
      env.configuration.pollMs,
    ),
  );
  const catalog = opening.use(await openCatalog({ redis, secrets, log }));
  const open = opening.move();
  const sessions = new Sessions(redis);
  const routes = {
    ...sessionRoutes(sessions, env.consoleUrl),
    ...accountRoutes(redis, ledger),
    ...tokenRoutes(redis, ledger),
    ...channelRoutes({ redis, catalog, transport }),
    ...bookRoutes(ledger),
    ...priceRoutes(redis),
    ...modelRoutes(redis),
    ...billRoutes(redis),
    "GET /config": async () => ({ ...follower.status, edgeUrl: env.edgeUrl ?? null }),
  };
  return {
    handler: withPages(operatorHandler(routes, bySession(sessions, bySecret(secrets)), log), env.edgeUrl),
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
});
