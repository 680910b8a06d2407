import { type ChannelKeyId, isChannelKeyId } from "@modelgate/catalog";
import { shardOf } from "@modelgate/accounts";
import type { Logger, Redis } from "@modelgate/platform";
import type { CreatedId } from "@modelgate/wires/vendor-stores";

/** Maximum characters of a stored id. The ids of vendors have fewer than a hundred. */
const maxIdCharacters = 256;

/** Objects that vendors created in their stores for each account, with the route that created them. */
export interface CreatedIds {
  /**
   * Returns the route that created each object, and renews its record; undefined for objects that this account did not
   * create, or whose record has expired.
   */
  find(accountId: string, ids: readonly CreatedId[]): Promise<readonly (ChannelKeyId | undefined)[]>;
  /**
   * Stores ids in the background. A later `find` sees them, because Redis executes the commands of a connection in
   * order.
   */
  store(accountId: string, ids: readonly CreatedId[], channelKey: ChannelKeyId): void;
}

/** Opens the store of ids in Redis. Ids expire `lifetimeMs` after their last use. */
export function openCreatedIds({
  redis,
  log,
  lifetimeMs,
}: {
  redis: Redis;
  log: Logger;
  lifetimeMs: number;
}): CreatedIds {
  return {
    async find(accountId, ids) {
      const names = [...new Set(ids.filter(isRemembered).map((each) => keyOf(accountId, each)))];
      if (names.length === 0) return ids.map(() => undefined);
      // An object that is still used keeps its record.
      const routes = await Promise.all(names.map((name) => redis.getex(name, "PX", lifetimeMs)));
      const routesByName = new Map(names.map((name, index) => [name, channelKeyIn(routes[index])]));
      return ids.map((each) => routesByName.get(keyOf(accountId, each)));
    },
    store(accountId, ids, channelKey) {
      Promise.all(
        ids.filter(isRemembered).map((each) => redis.set(keyOf(accountId, each), channelKey, "PX", lifetimeMs)),
      ).catch((error: unknown) => log.warn({ err: error }, "ids in a vendor's store were not stored"));
    },
  };
}

function channelKeyIn(text: string | null | undefined): ChannelKeyId | undefined {
  return typeof text === "string" && isChannelKeyId(text) ? text : undefined;
}

function isRemembered({ id }: CreatedId): boolean {
  return id !== "" && id.length <= maxIdCharacters;
}

/** The keys of one account are in one slot, so that one command can read several of them on Redis Cluster. */
function keyOf(accountId: string, { store, id }: CreatedId): string {
  return `made:{s${shardOf(accountId)}}:${accountId}:${store}:${id}`;
}
