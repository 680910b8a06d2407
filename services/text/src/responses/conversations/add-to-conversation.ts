import { orUnavailable } from "@modelgate/platform";
import type { RecordMemory } from "../record-reader.ts";
import type { IdentifiedItem } from "./conversation-items.ts";
import { contentLimitsOf, type ConversationLimits, type ConversationRecords } from "./conversation-limits.ts";
import { addItems, keysOf, type ConversationRef } from "./conversation-scripts.ts";
import { noSizes, addSizes, packItem } from "./packed-items.ts";
import { RenewalMemory, renewConversation, retryRenewed } from "./renew-conversation.ts";

/**
 * Appends items, all or none. Encrypts the conversation again if another secret has encrypted it. Throws Failure
 * server_overloaded (503) if others change it again and again.
 */
export async function addToConversation(
  records: ConversationRecords,
  limits: ConversationLimits,
  {
    conversation,
    newItems,
    isTurn,
    memory,
  }: {
    readonly conversation: ConversationRef;
    readonly newItems: readonly IdentifiedItem[];
    /** True for an answered turn. If it does not fit, later turns are refused. */
    readonly isTurn: boolean;
    readonly memory: RecordMemory;
  },
) {
  const { redis, cipher } = records;
  const keys = keysOf(conversation);
  const { lifetimeMs, maxItems, maxBytes, body } = limits;
  const items: string[] = [];
  let sizes = noSizes;
  for (const item of newItems) {
    const packed = await packItem(cipher, keys.list, item);
    items.push(item.id, packed.record);
    sizes = addSizes(sizes, packed.sizes);
  }
  const addition = {
    ...sizes,
    ...contentLimitsOf(records),
    secret: cipher.secretId,
    maxItems,
    maxBytes,
    maxTextBytes: body.maxBytes,
    maxValues: body.values,
    maxMembers: body.members,
    lifetimeMs,
    isTurn,
    items,
  };
  const renewal = new RenewalMemory(memory);
  // The addition follows a renewal immediately. During a rotation of the secret, a process that still uses the other
  // secret might otherwise encrypt the conversation again before it.
  return retryRenewed(
    async () => {
      const reply = await orUnavailable(addItems(redis, keys, addition));
      return reply.verdict === "outdated" ? undefined : reply;
    },
    () => renewConversation(records, limits, conversation, renewal.ofAttempt()),
  );
}
