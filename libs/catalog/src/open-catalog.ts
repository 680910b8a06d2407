import { Failure } from "@modelgate/contracts";
import {
  onBeat,
  openSealer,
  openSubscriber,
  sharedPart,
  sharedRedis,
  type Logger,
  type Redis,
  type Secrets,
  type StoreEnv,
} from "@modelgate/platform";
import { compileCatalog, type Catalog } from "./catalog.ts";
import { publishedChannel, publishedKey, readPublished, sealedKeys } from "./published.ts";

/** The current catalog of a process, swapped while it runs. */
export interface CatalogHandle extends AsyncDisposable {
  /** The newest catalog; throws Failure server_overloaded before the first one is there. */
  current(): Catalog;
  readonly ready: boolean;
  /** Reads what is published now; for tests and for who must not wait. */
  refresh(): Promise<void>;
}

/** A publication whose message was lost is found within this time. */
const pollMs = 5_000;

/**
 * Follows the published configuration: pub/sub, and a slow poll beneath it. A publication that cannot be read (made
 * with another secret) is logged and the last good one stays. Does not wait for the first.
 */
export async function openCatalog({
  redis,
  secrets,
  log,
}: {
  redis: Redis;
  secrets: Secrets;
  log: Logger;
}): Promise<CatalogHandle> {
  const sealer = openSealer(secrets, sealedKeys);
  const state: { catalog?: Catalog; refused?: string; leftBehind?: string } = {};

  async function refresh(): Promise<void> {
    const text = await redis.get(publishedKey);
    if (text === null || text === state.refused) return;
    // What an earlier start left was made with its secret; control is about to publish anew.
    const isFirst = state.catalog === undefined && state.leftBehind === undefined;
    try {
      const published = readPublished(text);
      if (published.version === state.catalog?.version) return;
      state.catalog = compileCatalog(published, sealer.open);
      delete state.refused;
      log.info({ version: published.version, channels: published.channels.length }, "configuration applied");
    } catch (error) {
      if (isFirst) state.leftBehind = text;
      else state.refused = text;
      const message =
        "a published configuration cannot be read (is MODELGATE_SECRET the same everywhere?); the last good one stays";
      if (isFirst) log.info({ err: error }, `${message}; waiting for a new one`);
      else log.error({ err: error }, message);
    }
  }
  const refreshQuietly = (): void =>
    void refresh().catch((error: unknown) => log.debug({ err: error }, "configuration not looked up"));

  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined); // it connects again by itself; the other connection has said so
  subscriber.on("message", refreshQuietly);
  await subscriber.subscribe(publishedChannel);
  await refresh();
  const polls = onBeat(pollMs, refreshQuietly);
  return {
    current() {
      if (state.catalog === undefined)
        throw new Failure("server_overloaded", "The gateway has no configuration yet; try again shortly.", {
          retryAfterSeconds: 1,
        });
      return state.catalog;
    },
    get ready() {
      return state.catalog !== undefined;
    },
    refresh,
    async [Symbol.asyncDispose]() {
      polls[Symbol.dispose]();
      subscriber.disconnect();
    },
  };
}

/** The catalog of a process: what all of its services know of models, channels and groups. */
export const sharedCatalog = sharedPart<StoreEnv, CatalogHandle>(async (shared, store) => {
  const redis = await sharedRedis(shared, store);
  return shared.use(await openCatalog({ redis, secrets: store.secrets, log: shared.log }));
});
