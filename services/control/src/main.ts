import { openCatalog } from "@modelgate/catalog";
import { openTransport } from "@modelgate/channels";
import { openRedis, operatorHandler, runService } from "@modelgate/platform";
import { accountRoutes } from "./api/accounts.ts";
import { bookRoutes } from "./api/books.ts";
import { channelRoutes } from "./api/channels.ts";
import { priceRoutes } from "./api/prices.ts";
import { tokenRoutes } from "./api/tokens.ts";
import { followConfiguration } from "./configuration/follow.ts";
import { namedVariables } from "./configuration/names.ts";
import { variables } from "./env.ts";

await runService(variables, async ({ env, log }) => {
  await using opening = new AsyncDisposableStack();
  const redis = await openRedis(env.redis.url, log, env.redis.timeoutMs);
  opening.defer(() => redis.disconnect());
  const { secrets } = env;
  const follower = opening.use(
    await followConfiguration(
      { redis, secrets, log, names: namedVariables() },
      env.configuration.path,
      env.configuration.pollMs,
    ),
  );
  const catalog = opening.use(await openCatalog({ redis, secrets, log }));
  const transport = opening.use(openTransport());
  const open = opening.move();
  const routes = {
    ...accountRoutes(redis),
    ...tokenRoutes(redis),
    ...channelRoutes({ redis, catalog, transport }),
    ...bookRoutes(env.ledgerUrl, env.secrets[0]),
    ...priceRoutes(redis),
    "GET /config": async () => follower.status,
  };
  return {
    handler: operatorHandler(routes, secrets, log),
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
});
