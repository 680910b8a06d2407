import { type ChannelKeyId, isChannelKeyId } from "@modelgate/catalog";
import { shardOf } from "@modelgate/accounts";
import type { Logger, Redis } from "@modelgate/platform";
import type { MadeId } from "@modelgate/wires/vendor-stores";

/** Maximum characters of an id that is remembered; vendors' ids have less than a hundred. */
const maxIdCharacters = 256;

/** Objects that vendors created in their stores for an account, each with the `channel/key` that has access to it. */
export interface MadeIds {
  /**
   * Finds the route that created each object, in the same order; undefined for objects that this account did not
   * create, or that have expired.
   */
  find(accountId: string, ids: readonly MadeId[]): Promise<readonly (ChannelKeyId | undefined)[]>;
  /** Stores ids in the background; a later `find` sees them, because Redis executes its commands in order. */
  keep(accountId: string, ids: readonly MadeId[], channelKey: ChannelKeyId): void;
}

/**
 * Opens the store of the ids in Redis. The account is part of each key: no other account finds an id. Ids expire after
 * `lifetimeMs`.
 */
export function openMadeIds({ redis, log, lifetimeMs }: { redis: Redis; log: Logger; lifetimeMs: number }): MadeIds {
  return {
    async find(accountId, ids) {
      const names = [...new Set(ids.filter(isKept).map((each) => keyOf(accountId, each)))];
      if (names.length === 0) return ids.map(() => undefined);
      const found = await redis.mget(names);
      const known = new Map(names.map((name, at) => [name, channelKeyIn(found[at])]));
      return ids.map((each) => known.get(keyOf(accountId, each)));
    },
    keep(accountId, ids, channelKey) {
      Promise.all(
        ids.filter(isKept).map((each) => redis.set(keyOf(accountId, each), channelKey, "PX", lifetimeMs)),
      ).catch((error: unknown) => log.warn({ err: error }, "ids in a vendor's store were not remembered"));
    },
  };
}

function channelKeyIn(text: string | null | undefined): ChannelKeyId | undefined {
  return typeof text === "string" && isChannelKeyId(text) ? text : undefined;
}

function isKept({ id }: MadeId): boolean {
  return id !== "" && id.length <= maxIdCharacters;
}

/**
 * Returns the Redis key of an id. Keys of one account share a slot, so that several can be read in one command on Redis
 * Cluster.
 */
function keyOf(accountId: string, { store, id }: MadeId): string {
  return `made:{s${shardOf(accountId)}}:${accountId}:${store}:${id}`;
}
