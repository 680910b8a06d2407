import { isChannelKeyId, type ChannelKeyId } from "@modelgate/catalog";
import type { Logger, Redis } from "@modelgate/platform";

/** Names under which a conversation's route is stored. The names are digests, so they may be stored. */
export interface Conversation {
  /** Names that the conversation may be stored under, the most specific first; empty for a new conversation. */
  readonly find: readonly string[];
  /** Name under which the route of this call is stored. */
  readonly keep: string;
}

/**
 * Remembers the routes of conversations, as `channel/key`, for all replicas: prompt caches and thinking signatures are
 * valid only with one vendor account. The route is a preference: if it is full, rests or is switched off, it is skipped
 * and the conversation moves.
 */
export interface Affinity {
  /** Returns the last route of a conversation; undefined if unknown, or if Redis does not answer. */
  find(owner: string, conversation: Conversation): Promise<ChannelKeyId | undefined>;
  /** Stores its current route in the background. */
  keep(owner: string, conversation: Conversation, key: ChannelKeyId): void;
}

/** Opens the store; a conversation is forgotten `lifetimeMs` after its last call. */
export function openAffinity({ redis, log, lifetimeMs }: { redis: Redis; log: Logger; lifetimeMs: number }): Affinity {
  const keyOf = (owner: string, name: string): string => `affinity:${owner}:${name}`;
  return {
    async find(owner, { find }) {
      try {
        const found = await Promise.all(find.map((name) => redis.get(keyOf(owner, name))));
        return found.find((id) => id !== null && isChannelKeyId(id)) ?? undefined;
      } catch (error) {
        log.debug({ err: error }, "a conversation's channel was not looked up");
        return undefined;
      }
    },
    keep(owner, { keep }, key) {
      redis
        .set(keyOf(owner, keep), key, "PX", lifetimeMs)
        .catch((error: unknown) => log.debug({ err: error }, "a conversation's channel was not kept"));
    },
  };
}
