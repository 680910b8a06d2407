import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync } from "node:zlib";
import { shardOf } from "@modelgate/accounts";
import { renderJson } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import { RecordReader, type RecordBounds, type RecordMemory } from "./record-reader.ts";
import type { RecordStore } from "./record-cipher.ts";

export interface StoreLimits {
  /** Time in ms after which a stored turn is removed. */
  readonly lifetimeMs: number;
  /** Maximum bytes of a turn after compression. A larger one is not stored. */
  readonly maxBytes: number;
  /** Limits on the total of all turns that one request refers to. */
  readonly body: RecordBounds;
}

/** Result of storing a turn: stored, too large, or refused because the account has reached its storage limit. */
export type SaveVerdict = "stored" | "too-large" | "full";

/** Stored turns of conversations. The account is part of each key, so that no account finds a turn of another. */
export interface TurnStore<Turn> {
  /** Stores a turn. `bodyBytes` is the size of the request that it answers. */
  save(accountId: string, id: string, stored: Turn, bodyBytes: number): Promise<SaveVerdict>;
  find(accountId: string, id: string, memory: RecordMemory): Promise<Turn | undefined>;
  /** Returns several turns in the order of `ids`. Throws Failure (413, 429, 503) if they exceed a limit. */
  findAll(accountId: string, ids: readonly string[], memory: RecordMemory): Promise<readonly (Turn | undefined)[]>;
  /** Removes a turn. Returns false if it does not exist. */
  remove(accountId: string, id: string): Promise<boolean>;
}

/** Maximum bytes of a turn that is compressed on the event loop. Larger turns are compressed in a thread. */
const maxSyncBytes = 256 * 1024;
const compress = promisify(zstdCompress);
/** Number of records that are decompressed at a time. It is small so that an excessive total is noticed early. */
const recordsPerRead = 8;
/** Additional bytes of a stored response: ids, and the request's settings that it repeats. */
const settingsBytes = 1024 * 1024;
/**
 * Factor by which the values and members of all turns together may exceed the limits of a body: each turn repeats the
 * tools of its request.
 */
const valuesFactor = 4;

/** Stored form of one kind of turn. */
export interface TurnForm<Turn> {
  /** Prefix of the Redis keys. */
  readonly kind: "response" | "interaction" | "thread";
  parse(json: JsonObject): Turn;
  /** Changes a turn before it is stored. */
  prepare?(turn: Turn, accountId: string): Turn;
}

export function openTurnStore<Turn extends object>(
  { redis, quota, cipher }: RecordStore,
  { kind, parse, prepare = (turn) => turn }: TurnForm<Turn>,
  { lifetimeMs, maxBytes, body }: StoreLimits,
): TurnStore<Turn> {
  /** Returns the Redis key of a turn. The keys of an account are in one slot of Redis Cluster. */
  const keyOf = (accountId: string, id: string): string => `${kind}:{s${shardOf(accountId)}}:${accountId}:${id}`;

  const bounds = {
    maxBytes: body.maxBytes + settingsBytes,
    values: body.values * valuesFactor,
    members: body.members * valuesFactor,
  };

  async function findAll(accountId: string, ids: readonly string[], memory: RecordMemory) {
    const turns: (Turn | undefined)[] = [];
    const reader = new RecordReader(memory, bounds);
    for (let index = 0; index < ids.length; index += recordsPerRead) {
      const keys = ids.slice(index, index + recordsPerRead).map((id) => keyOf(accountId, id));
      for (const [position, record] of (await redis.mgetBuffer(keys)).entries()) {
        const packed = record === null ? undefined : cipher.decrypt(record, keys[position] ?? "");
        turns.push(packed === undefined ? undefined : parse(await reader.parse(packed)));
      }
    }
    return turns;
  }

  return {
    async save(accountId, id, stored, bodyBytes) {
      const text = await renderJson(prepare(stored, accountId), bodyBytes);
      // Small turns are compressed synchronously, because the client may refer to a turn as soon as it has received it.
      const packed = text.length <= maxSyncBytes ? zstdCompressSync(text) : await compress(text);
      if (packed.length > maxBytes) return "too-large";
      const key = keyOf(accountId, id);
      const encrypted = cipher.encrypt(packed, key);
      // A new turn is written before the quota is checked, so that the client's next request finds it. An existing turn
      // is replaced only after the check.
      const [isKept, setResult] = await Promise.all([
        quota.setBytes({ accountId, record: key }, packed.length, lifetimeMs),
        redis.set(key, encrypted, "PX", lifetimeMs, "NX"),
      ]);
      if (!isKept) {
        if (setResult !== null) await redis.del(key);
        return "full";
      }
      if (setResult === null) await redis.set(key, encrypted, "PX", lifetimeMs);
      return "stored";
    },
    find: async (accountId, id, memory) => (await findAll(accountId, [id], memory))[0],
    findAll,
    async remove(accountId, id) {
      const key = keyOf(accountId, id);
      const removed = await redis.del(key);
      await quota.release({ accountId, record: key });
      return removed > 0;
    },
  };
}
