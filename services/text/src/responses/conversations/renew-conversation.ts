import { hash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { orUnavailable, type Redis } from "@modelgate/platform";
import { reparseJson } from "@modelgate/relay";
import {
  encryptedCompactionOf,
  withCurrentCompaction,
  type CompactionCipher,
} from "../compaction/compaction-cipher.ts";
import { RecordReader, type RecordBounds, type RecordMemory } from "../record-reader.ts";
import type { ConversationRecords } from "./conversation-limits.ts";
import { identifyItems } from "./conversation-items.ts";
import { replaceItems, keysOf, type ConversationRef } from "./conversation-scripts.ts";
import { addSizes, noSizes, decryptItem, decryptStored, encryptItem, packItem, sizesOf } from "./packed-items.ts";

/** Wait in ms after a change by another process. Without it, ten attempts may end while that process still works. */
const [minWaitMs, maxRandomMs] = [10, 50];
/** Number of items that are decompressed at a time, and of records that only are encrypted again. */
const [itemsPerRead, recordsPerRead] = [8, 100];

/** Memory for attempts to encrypt a conversation again. They use the same bytes, because one ends before the next one. */
export class RenewalMemory {
  readonly #memory: RecordMemory;
  #bytes = 0;

  constructor(memory: RecordMemory) {
    this.#memory = memory;
  }

  ofAttempt(): RecordMemory {
    let used = 0;
    return {
      add: (bytes) => {
        used += bytes;
        if (used <= this.#bytes) return;
        this.#memory.add(used - this.#bytes);
        this.#bytes = used;
      },
    };
  }
}

/**
 * Encrypts a conversation again with the current secret, and stores the ids and sizes of its items, which earlier
 * versions did not store. Writes nothing, and waits briefly, if the conversation changes meanwhile. Throws Failure
 * request_too_large (413), and conversation_not_found if no accepted secret decrypts an item.
 */
export async function renewConversation(
  { redis, quota, cipher, compactions }: ConversationRecords,
  { lifetimeMs, body }: { readonly lifetimeMs: number; readonly body: RecordBounds },
  conversation: ConversationRef,
  memory: RecordMemory,
): Promise<void> {
  const keys = keysOf(conversation);
  const { accountId } = conversation;
  const storedMetadata = await orUnavailable(redis.hgetBuffer(keys.head, "metadata"));
  if (storedMetadata === null) return;
  const metadata = cipher.encrypt(decryptStored(cipher, storedMetadata, keys.head), keys.head);
  const index = await readIndex(redis, keys);
  let before = chained("", storedMetadata);
  const reader = new RecordReader(memory, body);
  const ids = new Set<string>();
  const items: string[] = [];
  let [sizes, hasCompactions] = [noSizes, false];
  const pageSize = index.sizes === undefined ? itemsPerRead : recordsPerRead;
  for (let from = 0; ; from += pageSize) {
    const records = await orUnavailable(redis.lrange(keys.list, from, from + pageSize - 1));
    for (const record of records) {
      before = chained(before, record);
      const packed = decryptItem(cipher, keys.list, record);
      if (index.sizes !== undefined) {
        memory.add(record.length);
        items.push(index.ids[items.length / 2] ?? "", encryptItem(cipher, keys.list, packed));
        continue;
      }
      const entry = await indexEntryOf(await reader.unpack(packed), { compactions, accountId }, ids);
      ids.add(entry.id);
      sizes = addSizes(sizes, entry.sizes);
      hasCompactions ||= entry.isCompaction;
      items.push(
        entry.id,
        entry.item === undefined
          ? encryptItem(cipher, keys.list, packed)
          : (await packItem(cipher, keys.list, entry.item)).record,
      );
    }
    if (records.length < pageSize) break;
  }
  for (const id of index.ids) before = chained(before, id);
  // The list has changed since its index was read.
  if (index.sizes !== undefined && items.length !== 2 * index.ids.length) return;
  const reply = await orUnavailable(
    replaceItems(redis, keys, {
      ...(index.sizes ?? sizes),
      before,
      secret: cipher.secretId,
      hasCompactions,
      metadata: metadata.toString("hex"),
      items,
    }),
  );
  if (reply.verdict === "replaced")
    await quota.addBytesBeyondLimit({ accountId, record: keys.list }, reply.grownBy, lifetimeMs);
  else await wait(minWaitMs + Math.random() * maxRandomMs);
}

/**
 * Reads the ids of the items, and their total sizes. The sizes are undefined if the items must be decompressed: the index
 * is not complete, or compactions may be among them.
 */
async function readIndex(redis: Redis, { head, list, ids: idsKey }: ReturnType<typeof keysOf>) {
  const [fields, ids, records] = await orUnavailable(
    Promise.all([
      redis.hmget(head, "bytes", "indexed", "compactions", "textBytes", "values", "members"),
      redis.lrange(idsKey, 0, -1),
      redis.llen(list),
    ]),
  );
  const [bytes, indexed, compactions, ...counts] = fields;
  if (bytes !== indexed || compactions !== "0" || records !== ids.length) return { ids, sizes: undefined };
  const [textBytes = 0, values = 0, members = 0] = counts.map(Number);
  return { ids, sizes: { textBytes, values, members } };
}

/** Returns the hash of a hash and a further part, as replace-items.lua does. */
function chained(before: string, part: Buffer | string): string {
  return hash("sha1", before + hash("sha1", part));
}

/**
 * Returns the id and sizes of an item. `item` is a copy to store instead, if another item has the same id, or another
 * secret has encrypted its compaction.
 */
async function indexEntryOf(
  text: Buffer,
  { compactions, accountId }: { readonly compactions: CompactionCipher; readonly accountId: string },
  takenIds: ReadonlySet<string>,
) {
  const stored = await reparseJson(text);
  const renewed = withCurrentCompaction(compactions, accountId, stored);
  const [item = renewed] = identifyItems([renewed], () => randomUUID().replaceAll("-", ""), takenIds);
  const id = String(item["id"]);
  const isCompaction = encryptedCompactionOf(item) !== undefined;
  if (renewed === stored && id === stored["id"])
    return { id, isCompaction, sizes: await sizesOf(text), item: undefined };
  return { id, isCompaction, sizes: await sizesOf(Buffer.from(JSON.stringify(item))), item };
}
