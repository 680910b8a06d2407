import { createHash, randomUUID } from "node:crypto";
import { orUnavailable } from "@modelgate/platform";
import { reparseJson } from "@modelgate/relay";
import { withCurrentCompaction, type CompactionCipher } from "../compaction/compaction-cipher.ts";
import { RecordReader, type RecordBounds, type RecordMemory } from "../record-reader.ts";
import type { ConversationRecords } from "./conversation-limits.ts";
import { identifyItems } from "./conversation-items.ts";
import { indexItems, keysOf, type ConversationRef } from "./conversation-scripts.ts";
import { addSizes, noSizes, decryptItem, decryptStored, encryptItem, packItem, sizesOf } from "./packed-items.ts";

const itemsPerRead = 8;

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
 * Encrypts a conversation again with the secret in use, and stores the ids and sizes of its items, which earlier
 * versions did not store. Writes nothing if the conversation changes meanwhile. Throws Failure request_too_large (413),
 * and conversation_not_found if no accepted secret decrypts an item.
 */
export async function indexConversation(
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
  const before = createHash("sha1").update(storedMetadata);
  const reader = new RecordReader(memory, body);
  const ids = new Set<string>();
  const items: string[] = [];
  let sizes = noSizes;
  for (let from = 0; ; from += itemsPerRead) {
    const records = await orUnavailable(redis.lrange(keys.list, from, from + itemsPerRead - 1));
    for (const record of records) {
      before.update(record);
      const packed = decryptItem(cipher, keys.list, record);
      const indexed = await indexEntryOf(await reader.unpack(packed), { compactions, accountId }, ids);
      ids.add(indexed.id);
      sizes = addSizes(sizes, indexed.sizes);
      items.push(
        indexed.id,
        indexed.item === undefined
          ? encryptItem(cipher, keys.list, packed)
          : (await packItem(cipher, keys.list, indexed.item)).record,
      );
    }
    if (records.length < itemsPerRead) break;
  }
  const reply = await orUnavailable(
    indexItems(redis, keys, {
      ...sizes,
      before: before.digest("hex"),
      secret: cipher.secretId,
      metadata: metadata.toString("hex"),
      items,
    }),
  );
  if (reply.verdict === "indexed")
    await quota.addBytesBeyondLimit({ accountId, record: keys.list }, reply.grownBy, lifetimeMs);
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
  if (renewed === stored && id === stored["id"]) return { id, sizes: await sizesOf(text), item: undefined };
  return { id, sizes: await sizesOf(Buffer.from(JSON.stringify(item))), item };
}
