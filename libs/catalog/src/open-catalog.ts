import { Failure } from "@modelgate/contracts";
import {
  runOnSharedTick,
  makeCipher,
  openSubscriber,
  sharedPart,
  sharedRedis,
  type Logger,
  type Redis,
  type Secrets,
  type StoreEnv,
} from "@modelgate/platform";
import { compileCatalog, type Catalog } from "./catalog.ts";
import { publishedChannel, publishedKey, readPublished, vendorKeysPurpose } from "./published.ts";

/** Access to the current catalog of a process. The catalog is replaced when a new configuration is published. */
export interface CatalogHandle extends AsyncDisposable {
  /** Returns the current catalog. Throws Failure server_overloaded (503) until the first one is loaded. */
  current(): Catalog;
  readonly ready: boolean;
  /** Reads the published configuration immediately. */
  refresh(): Promise<void>;
}

/** Interval of polls. They find a publication whose pub/sub message was lost. */
const pollMs = 5_000;

/**
 * Opens a catalog that follows the published configuration. If a publication cannot be read, the previous catalog stays
 * in use.
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
  const cipher = makeCipher(secrets, vendorKeysPurpose);
  /** `seen` is the last text that was applied or refused. */
  const state: { catalog?: Catalog; seen?: string; unreadableAtStart?: string } = {};

  async function refresh(): Promise<void> {
    const text = await redis.get(publishedKey);
    if (text === null || text === state.seen) return;
    // A publication from before the start may have been made with an earlier secret; control publishes again soon.
    const isFirst = state.catalog === undefined && state.unreadableAtStart === undefined;
    try {
      const published = readPublished(text);
      if (published.version !== state.catalog?.version) {
        state.catalog = compileCatalog(published, cipher.decrypt);
        log.info({ version: published.version, channels: published.channels.length }, "configuration applied");
      }
      state.seen = text;
    } catch (error) {
      if (isFirst) state.unreadableAtStart = text;
      else state.seen = text;
      const message = "a published configuration cannot be read (is MODELGATE_SECRET the same everywhere?)";
      if (isFirst) log.info({ err: error }, `${message}; waiting for a new one`);
      else log.error({ err: error }, `${message}; the last valid one stays active`);
    }
  }
  const refreshQuietly = (): void =>
    void refresh().catch((error: unknown) => log.debug({ err: error }, "the configuration could not be refreshed"));

  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined); // the subscriber reconnects; the main connection logs the error
  subscriber.on("message", refreshQuietly);
  await subscriber.subscribe(publishedChannel);
  await refresh();
  const polls = runOnSharedTick(pollMs, refreshQuietly);
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

/** Catalog of a process, which all of its services share. */
export const sharedCatalog = sharedPart<StoreEnv, CatalogHandle>(async (shared, store) => {
  const redis = await sharedRedis(shared, store);
  return shared.use(await openCatalog({ redis, secrets: store.secrets, log: shared.log }));
});
