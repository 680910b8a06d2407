import { shardOf } from "@modelgate/accounts";
import { defineScript } from "@modelgate/platform";

export interface ConversationRef {
  readonly accountId: string;
  readonly id: string;
}

/** Returns the Redis keys of a conversation's metadata, its items, and their ids. All are in the account's slot. */
export function keysOf({ accountId, id }: ConversationRef) {
  const owned = `{s${shardOf(accountId)}}:${accountId}:${id}`;
  return { head: `conversation:${owned}`, list: `conversation-items:${owned}`, ids: `conversation-ids:${owned}` };
}

const shared = [new URL("indexed.lua", import.meta.url)];
const sharedToSave = [new URL("from-hex.lua", import.meta.url)];
const keys = ["head", "list", "ids"] as const;
/** Sizes of items after decompression. */
const sizes = { textBytes: "number", values: "number", members: "number" } as const;

export const saveConversation = defineScript({
  file: new URL("save-conversation.lua", import.meta.url),
  shared: sharedToSave,
  keys,
  args: { secret: "text", createdAt: "number", lifetimeMs: "number", metadata: "text" },
  replies: { saved: {}, outdated: {} },
});

export const addItems = defineScript({
  file: new URL("add-items.lua", import.meta.url),
  shared,
  keys,
  args: {
    ...sizes,
    secret: "text",
    maxItems: "number",
    maxBytes: "number",
    maxTextBytes: "number",
    maxValues: "number",
    maxMembers: "number",
    lifetimeMs: "number",
    items: "text[]",
  },
  replies: { added: {}, absent: {}, outdated: {}, taken: { ids: "text[]" }, full: { bound: "text" } },
});

export const readItems = defineScript({
  file: new URL("read-items.lua", import.meta.url),
  shared,
  keys,
  args: { onlyId: "text?", after: "text?", newestFirst: "flag", limit: "number" },
  replies: { items: { hasMore: "flag", items: "text[]" }, absent: {}, outdated: {}, unknown: {} },
});

export const removeItem = defineScript({
  file: new URL("remove-item.lua", import.meta.url),
  shared,
  keys,
  args: { ...sizes, id: "text" },
  replies: { removed: { bytes: "number" }, outdated: {}, unknown: {} },
});

export const replaceItems = defineScript({
  file: new URL("replace-items.lua", import.meta.url),
  shared: sharedToSave,
  keys,
  args: { ...sizes, before: "text", secret: "text", metadata: "text", items: "text[]" },
  replies: { replaced: { grownBy: "number" }, changed: {} },
});
