import { isChannelKeyId, type ChannelKeyId } from "@modelgate/catalog";
import type { Logger, Redis } from "@modelgate/platform";

/** Names under which the route of a conversation is stored. They are digests, so they reveal no content. */
export interface Conversation {
  /** Names that the conversation may be stored under, the most specific first; empty for a new conversation. */
  readonly find: readonly string[];
  /** Name under which the route of this call is stored. */
  readonly store: string;
}

/**
 * Remembers the route (`channel/key`) of each conversation for all replicas, because prompt caches and thinking
 * signatures are valid only with one vendor account. The route is only preferred: if it is full, in a cooldown or
 * switched off, another one is chosen and then remembered.
 */
export interface Affinity {
  /** Returns the last route of a conversation; undefined if unknown, or if Redis does not answer. */
  find(owner: string, conversation: Conversation): Promise<ChannelKeyId | undefined>;
  /** Stores the current route of a conversation in the background. */
  store(owner: string, conversation: Conversation, key: ChannelKeyId): void;
}

/** Opens the store in Redis. A route is forgotten `lifetimeMs` after the conversation's last call. */
export function openAffinity({ redis, log, lifetimeMs }: { redis: Redis; log: Logger; lifetimeMs: number }): Affinity {
  const keyOf = (owner: string, name: string): string => `affinity:${owner}:${name}`;
  return {
    async find(owner, { find }) {
      try {
        const routes = await Promise.all(find.map((name) => redis.get(keyOf(owner, name))));
        return routes.find((id) => id !== null && isChannelKeyId(id)) ?? undefined;
      } catch (error) {
        log.debug({ err: error }, "a conversation's channel could not be read");
        return undefined;
      }
    },
    store(owner, { store: name }, key) {
      redis
        .set(keyOf(owner, name), key, "PX", lifetimeMs)
        .catch((error: unknown) => log.debug({ err: error }, "a conversation's channel was not stored"));
    },
  };
}
