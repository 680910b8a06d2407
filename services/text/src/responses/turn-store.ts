import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompress } from "node:zlib";
import { shardOf } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { renderJson, reparseJson, type JsonLimits } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import type { RecordStore } from "./record-seal.ts";

/** Bounds of what is kept. */
export interface StoreLimits {
  /** How long a response can be referred to. */
  readonly lifetimeMs: number;
  /** Largest response with its input, compressed; a larger one is not kept. */
  readonly maxBytes: number;
  /** The bound of all that one request may refer to, as of a body. */
  readonly body: Pick<JsonLimits, "maxBytes">;
}

/** What came of a turn that was to be kept: it is larger than it may be, or its account keeps as much as it may. */
export type Kept = "kept" | "too-large" | "full";

/** Turns of conversations by owner and id. The owner is in the key: no account finds another's. */
export interface TurnStore<Turn> {
  /** Keeps a turn. `bodyBytes` is the size of the request that was answered. */
  save(accountId: string, id: string, stored: Turn, bodyBytes: number): Promise<Kept>;
  find(accountId: string, id: string): Promise<Turn | undefined>;
  /**
   * Several at once, in their order; undefined for those that are gone. Throws Failure request_too_large (413) where
   * all of them together are larger than one body may be.
   */
  findAll(accountId: string, ids: readonly string[]): Promise<readonly (Turn | undefined)[]>;
  /** Whether there was one. */
  remove(accountId: string, id: string): Promise<boolean>;
}

/** Larger ones are compressed off the event loop. */
const maxAtOnce = 256 * 1024;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** Records that are read from Redis and unpacked at a time: what is too large is noticed after a few of them. */
const readAtOnce = 8;
/** What a stored response has beside its input and output: ids, and the request's settings that it repeats. */
const besidesBytes = 1024 * 1024;

/** How turns of a kind are kept. */
export interface TurnForm<Turn> {
  /** What their keys begin with. */
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

  /** Unpacks a record of at most `leftBytes`. */
  async function open(packed: Buffer, leftBytes: number) {
    try {
      const text = await decompress(packed, { maxOutputLength: Math.max(1, leftBytes) });
      return { bytes: text.length, stored: parse(await reparseJson(text)) };
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(body.maxBytes);
      throw error;
    }
  }

  async function findAll(accountId: string, ids: readonly string[]) {
    const found: (Turn | undefined)[] = [];
    let left = body.maxBytes + besidesBytes;
    for (let at = 0; at < ids.length; at += readAtOnce) {
      const keys = ids.slice(at, at + readAtOnce).map((id) => keyOf(accountId, id));
      for (const [of, record] of (await redis.mgetBuffer(keys)).entries()) {
        const packed = record === null ? undefined : seal.open(record, keys[of] ?? "");
        const opened = packed === undefined ? undefined : await open(packed, left);
        left -= opened?.bytes ?? 0;
        found.push(opened?.stored);
      }
    }
    return found;
  }

  return {
    async save(accountId, id, stored, bodyBytes) {
      const text = await renderJson(stored, bodyBytes);
      // At once where it is quick: what refers to it may be asked as soon as its client has read it.
      const packed = text.length <= maxAtOnce ? zstdCompressSync(text) : await compress(text);
      if (packed.length > maxBytes) return "too-large";
      const key = keyOf(accountId, id);
      if (!(await book.keep({ accountId, record: key }, packed.length, lifetimeMs))) return "full";
      await redis.set(key, seal.seal(packed, key), "PX", lifetimeMs);
      return "kept";
    },
    find: async (accountId, id) => (await findAll(accountId, [id]))[0],
    findAll,
    async remove(accountId, id) {
      const key = keyOf(accountId, id);
      await book.drop({ accountId, record: key });
      return (await redis.del(key)) > 0;
    },
  };
}

function tooLarge(maxBytes: number): Failure {
  return new Failure("request_too_large", `The whole conversation is larger than ${maxBytes} bytes; compact it.`);
}
