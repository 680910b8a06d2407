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

/** Access to the current catalog of a process, which is replaced while it runs. */
export interface CatalogHandle extends AsyncDisposable {
  /** Returns the latest catalog. Throws Failure server_overloaded before the first one is loaded. */
  current(): Catalog;
  readonly ready: boolean;
  /** Reads the published configuration now, for callers that must not wait for the next poll. */
  refresh(): Promise<void>;
}

/** Interval of polling, so that a publication whose message was lost is noticed. */
const pollMs = 5_000;

/**
 * Follows the published configuration by pub/sub and by polling at a low rate. If a publication cannot be read (it was
 * made with another secret), it is logged and the previous catalog is kept. Does not wait for the first one.
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
    // A publication from before this start was made with an earlier secret; control is about to publish again.
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
  subscriber.on("error", () => undefined); // it reconnects automatically; the other connection has logged the error
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

/** Catalog of a process, shared by all of its services. */
export const sharedCatalog = sharedPart<StoreEnv, CatalogHandle>(async (shared, store) => {
  const redis = await sharedRedis(shared, store);
  return shared.use(await openCatalog({ redis, secrets: store.secrets, log: shared.log }));
});
