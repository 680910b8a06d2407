import { isChannelKeyId, type ChannelKeyId } from "@modelgate/catalog";
import type { Logger, Redis } from "@modelgate/platform";

/** Names of a conversation's stored route. They are digests and reveal no content. */
export interface Conversation {
  /** Names to look up, the most specific first. Empty for a new conversation. */
  readonly namesToFind: readonly string[];
  readonly nameToStore: string;
}

/**
 * Remembers the route of each conversation, because prompt caches and thinking signatures are valid only on the same
 * route.
 */
export interface Affinity {
  /** Returns the last route of a conversation; undefined if unknown, or if Redis does not answer. */
  find(owner: string, conversation: Conversation): Promise<ChannelKeyId | undefined>;
  /** Stores the current route in the background. */
  store(owner: string, conversation: Conversation, key: ChannelKeyId): void;
}

/** Opens the store in Redis. A route expires `lifetimeMs` after the conversation's last call. */
export function openAffinity({ redis, log, lifetimeMs }: { redis: Redis; log: Logger; lifetimeMs: number }): Affinity {
  const keyOf = (owner: string, name: string): string => `affinity:${owner}:${name}`;
  return {
    async find(owner, { namesToFind }) {
      try {
        const routes = await Promise.all(namesToFind.map((name) => redis.get(keyOf(owner, name))));
        return routes.find((id) => id !== null && isChannelKeyId(id)) ?? undefined;
      } catch (error) {
        log.debug({ err: error }, "a conversation's channel could not be read");
        return undefined;
      }
    },
    store(owner, { nameToStore }, key) {
      redis
        .set(keyOf(owner, nameToStore), key, "PX", lifetimeMs)
        .catch((error: unknown) => log.debug({ err: error }, "a conversation's channel was not stored"));
    },
  };
}
