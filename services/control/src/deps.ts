import { sharedCatalog, type CatalogHandle } from "@modelgate/catalog";
import { openTransport, type Transport } from "@modelgate/channels";
import { watchProcesses, sharedRedis, type ProcessList, type Redis, type ServiceContext } from "@modelgate/platform";
import { endPlaygroundKeys } from "./api/playground-keys.ts";
import { ConfigurationBooks } from "./configuration/books-source.ts";
import { followConfiguration, type ConfigurationFollower } from "./configuration/follow.ts";
import { VendorLists } from "./configuration/vendor-lists.ts";
import { environmentVariables } from "./configuration/resolve.ts";
import { fileSource } from "./configuration/source.ts";
import { ConsoleCookies } from "./console/cookie.ts";
import { Sessions } from "./console/sessions.ts";
import type { Env } from "./env.ts";
import { ledgerAt, type Ledger } from "./ledger.ts";
import { People } from "./operators/people.ts";
import { openProvider, type Provider } from "./operators/provider.ts";

/** Dependencies of control's routes. */
export interface Deps extends AsyncDisposable {
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly processes: ProcessList;
  readonly catalog: CatalogHandle;
  readonly transport: Transport;
  readonly follower: ConfigurationFollower;
  readonly books: ConfigurationBooks;
  readonly sessions: Sessions;
  readonly cookies: ConsoleCookies;
  readonly people: People;
  /** OpenID provider, if one is configured. */
  readonly provider: Provider | undefined;
  readonly env: Env;
  /** Throws an error if control is not ready. */
  ready(): void;
}

/** Opens all dependencies, and starts to apply the configuration. */
export async function openDeps({
  env,
  log,
  shared,
}: Pick<ServiceContext<Env>, "env" | "log" | "shared">): Promise<Deps> {
  await using opening = new AsyncDisposableStack();
  const redis = await sharedRedis(shared, env);
  const processes = opening.use(await watchProcesses(redis));
  const { secrets, configuration } = env;
  const ledger = ledgerAt(env.ledgerUrl, secrets[0]);
  const { path, seedPath, pollMs } = configuration;
  const transport = opening.use(openTransport());
  const vendorLists = new VendorLists({ redis, transport, log, everyMs: configuration.listModelsMs });
  const books = new ConfigurationBooks({ ledger, secrets, log, seedPath });
  const follower = opening.use(
    await followConfiguration(
      { redis, ledger, secrets, log, vendorLists, environment: environmentVariables() },
      (declared) => (path === undefined ? books.source(declared) : fileSource(path)),
      pollMs,
    ),
  );
  const catalog = await sharedCatalog(shared, env);
  const sessions = new Sessions(redis, async (name) => {
    try {
      await endPlaygroundKeys({ redis, ledger }, name);
    } catch (error) {
      // Ignored, because the keys expire soon.
      log.warn({ err: error }, "keys of the playground could not be ended");
    }
  });
  const [people, cookies] = [new People(ledger), new ConsoleCookies(env.consoleUrl)];
  const provider = openProvider(env.oidc, {
    sessions,
    people,
    cookies,
    consoleUrl: env.consoleUrl,
    proxies: env.proxies,
    log,
  });
  const resources = opening.move();
  return {
    redis,
    ledger,
    processes,
    catalog,
    transport,
    follower,
    books,
    sessions,
    people,
    cookies,
    provider,
    env,
    ready() {
      if (redis.status !== "ready") throw new Error("redis is unavailable");
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
