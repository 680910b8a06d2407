import { isChannelKeyId, type ChannelKeyId } from "@modelgate/catalog";
import type { Logger, Redis } from "@modelgate/platform";

/** Names by which a conversation is known again; the names are digests, and safe to store. */
export interface Conversation {
  /** Names that it may have been kept under, the surest first; none for one that only begins. */
  readonly find: readonly string[];
  /** The name that where it goes now is kept under. */
  readonly keep: string;
}

/**
 * Routes of conversations, as `channel/key`, shared by all replicas: prompt caches and sealed thoughts are an
 * account's at a vendor. It is a wish: what is full, rests or is off is passed over, and the conversation moves.
 */
export interface Affinity {
  /** Returns the last route of a conversation; undefined if unknown, or if Redis does not answer. */
  find(owner: string, conversation: Conversation): Promise<ChannelKeyId | undefined>;
  /** Keeps its present route; without waiting for it. */
  keep(owner: string, conversation: Conversation, key: ChannelKeyId): void;
}

/** Opens the memory; a conversation is forgotten `lifetimeMs` after its last call. */
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
