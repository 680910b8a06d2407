import { randomUUID } from "node:crypto";
import { accountKeys, contentScripts, shardOf } from "@modelgate/accounts";
import { defineScript } from "@modelgate/platform";

export interface ConversationRef {
  readonly accountId: string;
  readonly id: string;
}

/** Returns the Redis keys of a conversation's metadata, its items, their ids, and the account's sizes of content. */
export function keysOf({ accountId, id }: ConversationRef) {
  const owned = `{s${shardOf(accountId)}}:${accountId}:${id}`; // all keys are in the account's slot
  return {
    head: `conversation:${owned}`,
    list: `conversation-items:${owned}`,
    ids: `conversation-ids:${owned}`,
    contentSizes: accountKeys.contentSizes(accountId),
    contentExpiries: accountKeys.contentExpiries(accountId),
  };
}

/** Returns keys for new items and ids, which no other process uses. */
export function newKeysOf({ list, ids }: ReturnType<typeof keysOf>) {
  const name = randomUUID();
  return { newList: `${list}:${name}`, newIds: `${ids}:${name}` };
}

const file = (name: string): URL => new URL(name, import.meta.url);
const indexed = file("indexed.lua");
const fromHex = file("from-hex.lua");
const stateOf = file("state-of.lua");
const countConversation = [...contentScripts, file("count-conversation.lua")];
const keys = ["head", "list", "ids", "contentSizes", "contentExpiries"] as const;
/** Sizes of items after decompression. */
const sizes = { textBytes: "number", values: "number", members: "number" } as const;
/** Limits of the account's content. */
const contentLimits = { maxContentBytes: "number", maxContentRecords: "number" } as const;

export const saveConversation = defineScript({
  file: file("save-conversation.lua"),
  shared: [fromHex, ...countConversation],
  keys,
  args: { ...contentLimits, secret: "text", createdAt: "number", lifetimeMs: "number", metadata: "text" },
  replies: { saved: {}, outdated: {}, "over-limit": {} },
});

export const addItems = defineScript({
  file: file("add-items.lua"),
  shared: [indexed, ...countConversation],
  keys,
  args: {
    ...sizes,
    ...contentLimits,
    secret: "text",
    maxItems: "number",
    maxBytes: "number",
    maxTextBytes: "number",
    maxValues: "number",
    maxMembers: "number",
    lifetimeMs: "number",
    isTurn: "flag",
    items: "text[]",
  },
  replies: { added: {}, absent: {}, outdated: {}, taken: { ids: "text[]" }, full: { bound: "text" }, "over-limit": {} },
});

export const readItems = defineScript({
  file: file("read-items.lua"),
  shared: [indexed],
  keys: ["head", "list", "ids"],
  args: { onlyId: "text?", after: "text?", newestFirst: "flag", limit: "number" },
  replies: { items: { hasMore: "flag", items: "text[]" }, absent: {}, outdated: {}, unknown: {} },
});

export const removeItem = defineScript({
  file: file("remove-item.lua"),
  shared: [indexed, ...countConversation],
  keys,
  args: { ...sizes, id: "text" },
  replies: { removed: {}, outdated: {}, unknown: {} },
});

export const removeConversation = defineScript({
  file: file("remove-conversation.lua"),
  shared: countConversation,
  keys,
  args: {},
  replies: { removed: {}, absent: {} },
});

export const readState = defineScript({
  file: file("read-state.lua"),
  shared: [stateOf],
  keys: ["head", "list"],
  args: {},
  replies: { state: { count: "number", state: "text" } },
});

export const replaceItems = defineScript({
  file: file("replace-items.lua"),
  shared: [fromHex, stateOf, ...countConversation],
  keys: [...keys, "newList", "newIds"],
  args: { ...sizes, before: "text", secret: "text", metadata: "text", bytes: "number" },
  replies: { replaced: {}, changed: {} },
});
