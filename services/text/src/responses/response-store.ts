import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompress } from "node:zlib";
import { shardOf } from "@modelgate/accounts";
import type { Redis } from "@modelgate/platform";
import type { StoredResponse } from "./stored-response.ts";

/** Bounds of what is kept. */
export interface StoreLimits {
  /** How long a response can be referred to. */
  readonly lifetimeMs: number;
  /** Largest response with its input, compressed; a larger one is not kept. */
  readonly mostBytes: number;
}

/** Responses by owner and id. The owner is in the key: nobody finds another account's. */
export interface ResponseStore {
  /** False where it is too large to be kept. */
  save(accountId: string, id: string, stored: StoredResponse): Promise<boolean>;
  find(accountId: string, id: string): Promise<StoredResponse | undefined>;
  /** Several at once, in their order; throws nothing for those that are gone. */
  findAll(accountId: string, ids: readonly string[]): Promise<readonly (StoredResponse | undefined)[]>;
  /** Whether there was one. */
  remove(accountId: string, id: string): Promise<boolean>;
}

/** Larger ones are compressed off the event loop. */
const mostAtOnce = 256 * 1024;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** A record unpacks to at most this: what it may be compressed, times a ratio that text does not exceed. */
const mostRatio = 100;

export function openResponseStore(redis: Redis, { lifetimeMs, mostBytes }: StoreLimits): ResponseStore {
  async function open(packed: Buffer | null | undefined): Promise<StoredResponse | undefined> {
    if (packed === null || packed === undefined) return undefined;
    const text = await decompress(packed, { maxOutputLength: mostBytes * mostRatio });
    return JSON.parse(text.toString());
  }
  return {
    async save(accountId, id, stored) {
      const text = Buffer.from(JSON.stringify(stored));
      // At once where it is quick: what refers to it may be asked as soon as its client has read it.
      const packed = text.length <= mostAtOnce ? zstdCompressSync(text) : await compress(text);
      if (packed.length > mostBytes) return false;
      await redis.set(keyOf(accountId, id), packed, "PX", lifetimeMs);
      return true;
    },
    find: async (accountId, id) => open(await redis.getBuffer(keyOf(accountId, id))),
    async findAll(accountId, ids) {
      if (ids.length === 0) return [];
      const packed = await redis.mgetBuffer(ids.map((id) => keyOf(accountId, id)));
      return Promise.all(packed.map(open));
    },
    remove: async (accountId, id) => (await redis.del(keyOf(accountId, id))) > 0,
  };
}

/** Keys of one account share a slot, so that several can be read at once on Redis Cluster. */
function keyOf(accountId: string, id: string): string {
  return `response:{s${shardOf(accountId)}}:${accountId}:${id}`;
}
