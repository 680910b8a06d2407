import { sharedCatalog, type CatalogHandle } from "@modelgate/catalog";
import { openTransport, type Transport } from "@modelgate/channels";
import { sharedRedis, type Redis, type ServiceContext } from "@modelgate/platform";
import { followConfiguration, type Follower } from "./configuration/follow.ts";
import { namedVariables } from "./configuration/names.ts";
import { Sessions } from "./console/sessions.ts";
import type { Env } from "./env.ts";
import { ledgerAt, type Ledger } from "./ledger.ts";

/** What control's routes work with. */
export interface Deps extends AsyncDisposable {
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly catalog: CatalogHandle;
  readonly transport: Transport;
  readonly follower: Follower;
  readonly sessions: Sessions;
  readonly env: Env;
  /** Throws why control cannot serve now. */
  ready(): void;
}

/** Opens everything once, and applies the configuration from now on. */
export async function openDeps({
  env,
  log,
  shared,
}: Pick<ServiceContext<Env>, "env" | "log" | "shared">): Promise<Deps> {
  await using opening = new AsyncDisposableStack();
  const redis = await sharedRedis(shared, env);
  const { secrets, configuration } = env;
  const ledger = ledgerAt(env.ledgerUrl, secrets[0]);
  const follower = opening.use(
    await followConfiguration(
      { redis, ledger, secrets, log, names: namedVariables() },
      configuration.path,
      configuration.pollMs,
    ),
  );
  const catalog = await sharedCatalog(shared, env);
  const transport = opening.use(openTransport());
  const open = opening.move();
  return {
    redis,
    ledger,
    catalog,
    transport,
    follower,
    sessions: new Sessions(redis),
    env,
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
