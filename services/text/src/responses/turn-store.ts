import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync } from "node:zlib";
import { shardOf } from "@modelgate/accounts";
import { renderJson } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import { RecordReader, type RecordBounds, type RecordMemory } from "./record-reader.ts";
import type { RecordStore } from "./record-seal.ts";

/** Bounds of what is kept. */
export interface StoreLimits {
  /** Time for which a response can be referred to. */
  readonly lifetimeMs: number;
  /** Largest response with its input, compressed; a larger one is not kept. */
  readonly maxBytes: number;
  /** Maximum size of everything that one request may refer to. */
  readonly body: RecordBounds;
}

/** Result of keeping a turn: it is larger than it may be, or its account keeps as much as it may. */
export type Kept = "kept" | "too-large" | "full";

/** Turns of conversations by owner and id. The owner is in the key: no account finds another's. */
export interface TurnStore<Turn> {
  /** Keeps a turn. `bodyBytes` is the size of the request that was answered. */
  save(accountId: string, id: string, stored: Turn, bodyBytes: number): Promise<Kept>;
  find(accountId: string, id: string, memory: RecordMemory): Promise<Turn | undefined>;
  /**
   * Several at once, in their order; undefined for those that are gone. Throws Failure request_too_large (413) where
   * all of them together are larger than one body may be, and those of the memory budget that they are read into (429, 503).
   */
  findAll(accountId: string, ids: readonly string[], memory: RecordMemory): Promise<readonly (Turn | undefined)[]>;
  /** Removes a turn; false where there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
}

/** Larger ones are compressed off the event loop. */
const maxAtOnce = 256 * 1024;
const compress = promisify(zstdCompress);
/** Records that are read from Redis and unpacked at a time: what is too large is noticed after a few of them. */
const readAtOnce = 8;
/** Size of a stored response besides its input and output: ids, and the request's settings that it repeats. */
const settingsBytes = 1024 * 1024;
/** Factor by which the values of all responses may exceed those of a body: each repeats the tools of its request. */
const repeatedValues = 4;

/** Form of the turns of a kind. */
export interface TurnForm<Turn> {
  /** Prefix of their keys. */
  readonly kind: "response" | "thread";
  /** Reads a turn of its JSON. */
  parse(json: JsonObject): Turn;
}

/** Opens the store of one kind of turns. */
export function openTurnStore<Turn extends object>(
  { redis, book, seal }: RecordStore,
  { kind, parse }: TurnForm<Turn>,
  { lifetimeMs, maxBytes, body }: StoreLimits,
): TurnStore<Turn> {
  /** Keys of one account share a slot, so that several can be read at once on Redis Cluster. */
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
      // At once where it is quick: its client may refer to it as soon as it has read it.
      const packed = text.length <= maxAtOnce ? zstdCompressSync(text) : await compress(text);
      if (packed.length > maxBytes) return "too-large";
      const key = keyOf(accountId, id);
      const sealed = seal.seal(packed, key);
      // A new turn is written without waiting for its share, so that a request which the client sends next finds it. One that
      // is there already stays until the new one has its share.
      const [isKept, written] = await Promise.all([
        book.keep({ accountId, record: key }, packed.length, lifetimeMs),
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
      await book.drop({ accountId, record: key });
      return (await redis.del(key)) > 0;
    },
  };
}
