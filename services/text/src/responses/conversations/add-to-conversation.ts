import { orUnavailable } from "@modelgate/platform";
import type { RecordMemory } from "../record-reader.ts";
import type { IdentifiedItem } from "./conversation-items.ts";
import { maxAttempts, type ConversationLimits, type ConversationRecords } from "./conversation-limits.ts";
import { addItems, keysOf, type ConversationRef } from "./conversation-scripts.ts";
import { noSizes, addSizes, packItem } from "./packed-items.ts";
import { RenewalMemory, renewConversation } from "./renew-conversation.ts";

/**
 * Appends items, all or none, and counts their bytes. Encrypts the conversation again if another secret has encrypted
 * it.
 */
export async function addToConversation(
  records: ConversationRecords,
  limits: ConversationLimits,
  {
    conversation,
    newItems,
    memory,
  }: {
    readonly conversation: ConversationRef;
    readonly newItems: readonly IdentifiedItem[];
    readonly memory: RecordMemory;
  },
) {
  const { redis, quota, cipher } = records;
  const keys = keysOf(conversation);
  const { lifetimeMs, maxItems, maxBytes, body } = limits;
  const items: string[] = [];
  let sizes = noSizes;
  for (const item of newItems) {
    const packed = await packItem(cipher, keys.list, item);
    items.push(item.id, packed.record);
    sizes = addSizes(sizes, packed.sizes);
  }
  const bytes = items.reduce((sum, item) => sum + Buffer.byteLength(item), 0);
  const record = { accountId: conversation.accountId, record: keys.list };
  if (!(await quota.addBytes(record, bytes, lifetimeMs))) return { verdict: "over-limit" } as const;
  const addition = {
    ...sizes,
    secret: cipher.secretId,
    maxItems,
    maxBytes,
    maxTextBytes: body.maxBytes,
    maxValues: body.values,
    maxMembers: body.members,
    lifetimeMs,
    items,
  };
  const renewal = new RenewalMemory(memory);
  let isAdded = false;
  try {
    let reply = await orUnavailable(addItems(redis, keys, addition));
    // The addition follows immediately, so that a process of the other step of a rotation rarely comes between.
    for (let attempt = 0; reply.verdict === "outdated" && attempt < maxAttempts; attempt++) {
      await renewConversation(records, limits, conversation, renewal.ofAttempt());
      reply = await orUnavailable(addItems(redis, keys, addition));
    }
    isAdded = reply.verdict === "added";
    return reply;
  } finally {
    if (!isAdded) await quota.addBytes(record, -bytes, lifetimeMs);
  }
}
