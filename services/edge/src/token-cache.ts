import { accountKeys, findToken, unlessLost, type Token } from "@modelgate/accounts";
import { openSubscriber, orUnavailable, type Redis } from "@modelgate/platform";

/** Token records by SHA-256, kept for a few seconds; a change is announced by pub/sub and takes effect at once. */
export interface TokenCache extends Disposable {
  /** The token, or undefined where there is none. Redis away, or being filled again: Failure server_overloaded. */
  find(digest: string): Promise<Token | undefined> | Token | undefined;
}

interface Entry {
  readonly token: Token | undefined;
  readonly until: number;
}

/** Opens the cache and listens for changes. */
export async function openTokenCache({
  redis,
  ttlMs,
  size,
}: {
  redis: Redis;
  ttlMs: number;
  size: number;
}): Promise<TokenCache> {
  const entries = new Map<string, Entry>();
  const asked = new Map<string, Promise<Token | undefined>>();

  function keep(digest: string, token: Token | undefined): void {
    const [oldest] = entries.keys();
    if (entries.size >= size && oldest !== undefined) entries.delete(oldest);
    entries.set(digest, { token, until: Date.now() + ttlMs });
  }

  /** Asks Redis, once for all who want to know meanwhile. */
  function ask(digest: string): Promise<Token | undefined> {
    const asking = orUnavailable(
      unlessLost(
        redis,
        () => findToken(redis, digest),
        (token) => token === undefined,
      ),
    );
    asked.set(digest, asking);
    // A change that is announced meanwhile removes this look-up, and it may be made anew: this answer may be stale.
    const isLatest = (): boolean => asked.get(digest) === asking && asked.delete(digest);
    const keepLatest = (token: Token | undefined): void => {
      if (isLatest()) keep(digest, token);
    };
    void asking.then(keepLatest, isLatest);
    return asking;
  }

  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined);
  subscriber.on("close", () => entries.clear()); // changes announced while disconnected are lost
  subscriber.on("message", (_: string, digest: string) => {
    entries.delete(digest);
    asked.delete(digest);
  });
  await subscriber.subscribe(accountKeys.tokenChanges);

  return {
    find(digest) {
      const entry = entries.get(digest);
      if (entry !== undefined && entry.until > Date.now()) return entry.token;
      return asked.get(digest) ?? ask(digest);
    },
    [Symbol.dispose]: () => subscriber.disconnect(),
  };
}
