import { randomUUID } from "node:crypto";
import { orUnavailable } from "@modelgate/platform";
import { reparseJson } from "@modelgate/relay";
import { withCurrentCompaction } from "../compaction/compaction-cipher.ts";
import { RecordReader, type RecordBounds, type RecordMemory } from "../record-reader.ts";
import { identifyItems } from "./conversation-items.ts";
import type { ConversationRecords } from "./conversation-limits.ts";
import { keysOf, type ConversationRef } from "./conversation-scripts.ts";
import { addSizes, decryptItem, encryptItem, noSizes, packItem, sizesOf, type ItemSizes } from "./packed-items.ts";

/** Maximum number of items that one command in Redis reads or writes. */
export const itemsPerCommand = 64;

/** Records of items that the current secret has encrypted, the items' ids in the same order, and their total size. */
export interface EncryptedItems {
  readonly records: readonly string[];
  readonly ids: readonly string[];
  readonly sizes: ItemSizes;
}

/** Reads the first `count` items of a conversation and encrypts them again. Throws as `renewConversation` does. */
export async function encryptItems(
  records: ConversationRecords,
  body: RecordBounds,
  { conversation, count }: { readonly conversation: ConversationRef; readonly count: number },
  memory: RecordMemory,
): Promise<EncryptedItems> {
  const { list } = keysOf(conversation);
  const reader = new RecordReader(memory, body);
  const ids = new Set<string>();
  const encrypted: string[] = [];
  let sizes = noSizes;
  for (let from = 0; from < count; from += itemsPerCommand) {
    const to = Math.min(from + itemsPerCommand, count) - 1;
    for (const stored of await orUnavailable(records.redis.lrange(list, from, to))) {
      const packed = decryptItem(records, list, stored);
      const entry = await indexEntryOf(await reader.unpack(packed), records, conversation.accountId, ids);
      ids.add(entry.id);
      sizes = addSizes(sizes, entry.sizes);
      encrypted.push(
        entry.item === undefined
          ? encryptItem(records.cipher, list, packed)
          : (await packItem(records.cipher, list, entry.item)).record,
      );
    }
  }
  return { records: encrypted, ids: [...ids], sizes };
}

/**
 * Returns the id and sizes of an item. `item` is a changed copy to store instead: with a new id if the id is missing,
 * too long or taken, and with its compaction encrypted by the current secret. Undefined if neither was necessary.
 */
async function indexEntryOf(
  text: Buffer,
  { compactions }: Pick<ConversationRecords, "compactions">,
  accountId: string,
  takenIds: ReadonlySet<string>,
) {
  const stored = await reparseJson(text);
  const renewed = withCurrentCompaction(compactions, accountId, stored);
  const [item = renewed] = identifyItems([renewed], () => randomUUID().replaceAll("-", ""), takenIds);
  const id = String(item["id"]);
  if (renewed === stored && id === stored["id"]) return { id, sizes: await sizesOf(text), item: undefined };
  return { id, sizes: await sizesOf(Buffer.from(JSON.stringify(item))), item };
}
