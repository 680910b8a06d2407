import { accountKeys, findUsedToken, readUnlessLost, type Token } from "@modelgate/accounts";
import { openSubscriber, orUnavailable, type Redis } from "@modelgate/platform";
import type { Env } from "./env.ts";

/** Cache of API key records by the key's SHA-256. */
export type TokenCache = Awaited<ReturnType<typeof openTokenCache>>;

interface Entry {
  /** Pending look-up, replaced by its result. */
  token: Promise<Token | undefined> | Token | undefined;
  until: number;
}

/** Opens a cache of at most `size` API keys, and subscribes to changes. */
export async function openTokenCache(options: { readonly redis: Redis } & Env["tokenCache"]) {
  const { redis, ttlMs, size } = options;
  const entries = new Map<string, Entry>();

  /** Reads a record once for all waiting calls. A change during the read removes the entry. */
  function fetchToken(digest: string): Promise<Token | undefined> {
    const isAbsent = (token: Token | undefined): boolean => token === undefined;
    const lookup = orUnavailable(readUnlessLost(redis, () => findUsedToken(redis, digest), isAbsent));
    const entry: Entry = { token: lookup, until: Infinity };
    entries.delete(digest); // added again below, because the first entry must be the oldest
    const [oldest] = entries.keys();
    if (entries.size >= size && oldest !== undefined) entries.delete(oldest);
    entries.set(digest, entry);
    const update = (token: Token | undefined): void => void Object.assign(entry, { token, until: Date.now() + ttlMs });
    lookup.then(update, () => (entry.until = 0));
    return lookup;
  }

  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined);
  subscriber.on("close", () => entries.clear()); // changes announced while disconnected are lost
  subscriber.on("message", (_: string, digest: string) => entries.delete(digest));
  await subscriber.subscribe(accountKeys.tokenChanges);

  return {
    /** Finds a record by the key's SHA-256. Rejects with Failure server_overloaded if Redis is needed but unavailable. */
    find(digest: string): Entry["token"] {
      const entry = entries.get(digest);
      return entry !== undefined && entry.until > Date.now() ? entry.token : fetchToken(digest);
    },
    [Symbol.dispose]: (): void => subscriber.disconnect(),
  };
}
