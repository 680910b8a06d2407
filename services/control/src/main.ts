import { openCatalog } from "@modelgate/catalog";
import { openTransport } from "@modelgate/channels";
import { bySecret, openRedis, operatorHandler, runService } from "@modelgate/platform";
import { apiRoutes } from "./api/routes.ts";
import { addressBefore } from "./console/address.ts";
import { bySession } from "./console/authorise.ts";
import { withPages } from "./console/pages.ts";
import { Sessions } from "./console/sessions.ts";
import { ConfigurationBooks } from "./configuration/books-source.ts";
import { followConfiguration } from "./configuration/follow.ts";
import { namedVariables } from "./configuration/names.ts";
import { fileSource } from "./configuration/source.ts";
import { variables } from "./env.ts";
import { ledgerAt } from "./ledger.ts";
import { People } from "./operators/people.ts";
import { openProvider, withProvider } from "./operators/provider.ts";
import { SignInLimits } from "./operators/sign-in-limits.ts";

await runService(variables, async ({ env, log }) => {
  await using opening = new AsyncDisposableStack();
  const redis = await openRedis(env.redis.url, log, env.redis.timeoutMs);
  opening.defer(() => redis.disconnect());
  const { secrets } = env;
  const ledger = ledgerAt(env.ledgerUrl, secrets[0]);
  const { path, seedPath, pollMs } = env.configuration;
  const books = new ConfigurationBooks({ ledger, secrets, log, seedPath });
  const follower = opening.use(
    await followConfiguration(
      { redis, ledger, secrets, log, names: namedVariables() },
      (declared) => (path === undefined ? books.source(declared) : fileSource(path)),
      pollMs,
    ),
  );
  const catalog = opening.use(await openCatalog({ redis, secrets, log }));
  const transport = opening.use(openTransport());
  const open = opening.move();
  const [sessions, people] = [new Sessions(redis), new People(ledger)];
  const provider = openProvider(env.oidc, { sessions, people, consoleUrl: env.consoleUrl, log });
  const routes = apiRoutes({
    redis,
    ledger,
    catalog,
    transport,
    follower,
    books,
    sessions,
    people,
    configurationPath: path,
    limits: new SignInLimits(redis),
    addressOf: addressBefore(env.proxies),
    hasProvider: provider !== undefined,
    consoleUrl: env.consoleUrl,
    edgeUrl: env.edgeUrl,
  });
  const api = operatorHandler(routes, bySession(sessions, people, bySecret(secrets)), log);
  return {
    handler: withPages(withProvider(api, provider), env.edgeUrl),
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
});
