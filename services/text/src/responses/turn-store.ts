import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync } from "node:zlib";
import { shardOf } from "@modelgate/accounts";
import { renderJson } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import { RecordReader, type RecordBounds, type RecordMemory } from "./record-reader.ts";
import type { RecordStore } from "./record-seal.ts";

/** Limits of stored turns. */
export interface StoreLimits {
  /** Time, in ms, during which a response can be referred to. */
  readonly lifetimeMs: number;
  /** Maximum bytes of a response with its input, compressed; a larger one is not stored. */
  readonly maxBytes: number;
  /** Maximum size of everything that one request may refer to. */
  readonly body: RecordBounds;
}

/** Result of storing a turn: stored, too large, or the account has reached its storage limit. */
export type Kept = "kept" | "too-large" | "full";

/** Turns of conversations by owner and id. The key contains the owner, so that no account finds another's. */
export interface TurnStore<Turn> {
  /** Stores a turn. `bodyBytes` is the size of the request that was answered. */
  save(accountId: string, id: string, stored: Turn, bodyBytes: number): Promise<Kept>;
  find(accountId: string, id: string, memory: RecordMemory): Promise<Turn | undefined>;
  /**
   * Returns several turns in the order of their ids; undefined for those that no longer exist. Throws Failure
   * request_too_large (413) where their total exceeds one body's limit, and the failures of the memory budget (429,
   * 503).
   */
  findAll(accountId: string, ids: readonly string[], memory: RecordMemory): Promise<readonly (Turn | undefined)[]>;
  /** Removes a turn. Returns false where it does not exist. */
  remove(accountId: string, id: string): Promise<boolean>;
}

/** Maximum size, in characters, that is compressed on the event loop; larger turns are compressed off it. */
const maxAtOnce = 256 * 1024;
const compress = promisify(zstdCompress);
/** Records that are read from Redis and decompressed at a time, so that an excessive total is noticed early. */
const readAtOnce = 8;
/**
 * Bytes reserved for a stored response in addition to its input and output: ids, and request settings that it repeats.
 */
const settingsBytes = 1024 * 1024;
/** Factor by which the values of all responses may exceed those of a body: each repeats the tools of its request. */
const repeatedValues = 4;

/** Storage form of one kind of turn. */
export interface TurnForm<Turn> {
  /** Prefix of the keys. */
  readonly kind: "response" | "interaction" | "thread";
  /** Parses a stored turn. */
  parse(json: JsonObject): Turn;
}

/** Opens the store of one kind of turn. */
export function openTurnStore<Turn extends object>(
  { redis, book, seal }: RecordStore,
  { kind, parse }: TurnForm<Turn>,
  { lifetimeMs, maxBytes, body }: StoreLimits,
): TurnStore<Turn> {
  /** Keys of one account share a slot, so that Redis Cluster can read several in one command. */
  const keyOf = (accountId: string, id: string): string => `${kind}:{s${shardOf(accountId)}}:${accountId}:${id}`;

  const bounds = {
    maxBytes: body.maxBytes + settingsBytes,
    values: body.values * repeatedValues,
    members: body.members * repeatedValues,
  };

  async function findAll(accountId: string, ids: readonly string[], memory: RecordMemory) {
    const found: (Turn | undefined)[] = [];
    const reader = new RecordReader(memory, bounds);
    for (let at = 0; at < ids.length; at += readAtOnce) {
      const keys = ids.slice(at, at + readAtOnce).map((id) => keyOf(accountId, id));
      for (const [of, record] of (await redis.mgetBuffer(keys)).entries()) {
        const packed = record === null ? undefined : seal.open(record, keys[of] ?? "");
        found.push(packed === undefined ? undefined : parse(await reader.parse(packed)));
      }
    }
    return found;
  }

  return {
    async save(accountId, id, stored, bodyBytes) {
      const text = await renderJson(stored, bodyBytes);
      // Small turns are compressed synchronously: the client may refer to a turn as soon as it has read it.
      const packed = text.length <= maxAtOnce ? zstdCompressSync(text) : await compress(text);
      if (packed.length > maxBytes) return "too-large";
      const key = keyOf(accountId, id);
      const sealed = seal.seal(packed, key);
      // A new turn is written without waiting for its storage share, so that the client's next request finds it. An
      // existing turn is kept until the new one has its share.
      const [isKept, written] = await Promise.all([
        book.setBytes({ accountId, record: key }, packed.length, lifetimeMs),
        redis.set(key, sealed, "PX", lifetimeMs, "NX"),
      ]);
      if (!isKept) {
        if (written !== null) await redis.del(key);
        return "full";
      }
      if (written === null) await redis.set(key, sealed, "PX", lifetimeMs);
      return "kept";
    },
    find: async (accountId, id, memory) => (await findAll(accountId, [id], memory))[0],
    findAll,
    async remove(accountId, id) {
      const key = keyOf(accountId, id);
      await book.release({ accountId, record: key });
      return (await redis.del(key)) > 0;
    },
  };
}
