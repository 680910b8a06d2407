import { orUnavailable } from "@modelgate/platform";
import { parseRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";
import { referenceOf } from "../conversation.ts";
import { withCurrentCompaction } from "../compaction/compaction-cipher.ts";
import { RecordReader, type RecordMemory } from "../record-reader.ts";
import {
  contentLimitsOf,
  isFull,
  problemOf,
  type ConversationLimits,
  type ConversationRecords,
} from "./conversation-limits.ts";
import { addToConversation } from "./add-to-conversation.ts";
import { identifyItems, withoutReferences, type IdentifiedItem } from "./conversation-items.ts";
import {
  keysOf,
  readItems,
  removeConversation,
  removeItem,
  saveConversation,
  type ConversationRef,
} from "./conversation-scripts.ts";
import { busyFailure, maxAttempts, renewConversation, RenewalMemory, retryRenewed } from "./renew-conversation.ts";
import { decryptItem, decryptStored, sizesOf } from "./packed-items.ts";

/** A conversation without its items. */
export interface Conversation {
  /** Creation time in Unix seconds. */
  readonly createdAt: number;
  readonly metadata: JsonObject;
}

/** Result of an addition: the stored items, or the reason why none were stored. */
export type Addition =
  | { readonly verdict: "added"; readonly items: readonly IdentifiedItem[] }
  | { readonly verdict: "absent" }
  /** The account has reached its storage limit. */
  | { readonly verdict: "over-limit" }
  /** The conversation has reached one of its limits. */
  | { readonly verdict: "full"; readonly problem: string };

/** Part of a conversation to read: the item `onlyId`, or up to `limit` items after the item `after`. */
export interface ItemRange {
  readonly onlyId?: string;
  readonly after?: string | undefined;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** Items as JSON, and their ids. */
export interface ItemPage {
  readonly ids: readonly string[];
  readonly texts: readonly Buffer[];
  readonly hasMore: boolean;
}

/** Stored conversations. The account is part of each key, so that no account finds a conversation of another. */
export class ConversationStore {
  readonly #records: ConversationRecords;
  readonly #limits: ConversationLimits;

  constructor(records: ConversationRecords, limits: ConversationLimits) {
    this.#records = records;
    this.#limits = limits;
  }

  /**
   * Stores a new or changed conversation without its items. Returns false if the account has reached its storage limit.
   */
  async save(
    conversation: ConversationRef,
    { createdAt, metadata }: Conversation,
    memory: RecordMemory,
  ): Promise<boolean> {
    const { redis, cipher } = this.#records;
    const keys = keysOf(conversation);
    const encrypted = cipher.encrypt(Buffer.from(JSON.stringify(metadata)), keys.head);
    const change = {
      ...contentLimitsOf(this.#records),
      secret: cipher.secretId,
      createdAt,
      lifetimeMs: this.#limits.lifetimeMs,
      metadata: encrypted.toString("hex"),
    };
    return this.#retry(conversation, new RenewalMemory(memory), async () => {
      const { verdict } = await orUnavailable(saveConversation(redis, keys, change));
      return verdict === "outdated" ? undefined : verdict === "saved";
    });
  }

  async find(conversation: ConversationRef): Promise<Conversation | undefined> {
    const { redis } = this.#records;
    const { head } = keysOf(conversation);
    const [createdAt, encrypted] = await orUnavailable(redis.hmgetBuffer(head, "createdAt", "metadata"));
    if (!createdAt || !encrypted) return undefined;
    const metadata = decryptStored(this.#records, encrypted, head).toString();
    return { createdAt: Number(createdAt), metadata: parseRecord(metadata) ?? {} };
  }

  /** Removes a conversation. Returns false if it does not exist. */
  async remove(conversation: ConversationRef): Promise<boolean> {
    const { verdict } = await orUnavailable(removeConversation(this.#records.redis, keysOf(conversation), {}));
    return verdict === "removed";
  }

  /** Appends either all items or none. An item whose id exists in the conversation receives a new id. */
  async add(
    conversation: ConversationRef,
    {
      items,
      newId,
      memory,
      isTurn = false,
    }: {
      readonly items: readonly JsonObject[];
      readonly newId: () => string;
      readonly memory: RecordMemory;
      /** True for an answered turn. If it does not fit, `readForTurn` returns "full" until an item is removed. */
      readonly isTurn?: boolean;
    },
  ): Promise<Addition> {
    const { compactions } = this.#records;
    const renewed = items.map((item) => withCurrentCompaction(compactions, conversation.accountId, item));
    let newItems = identifyItems(renewed, newId);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const reply = await addToConversation(this.#records, this.#limits, { conversation, newItems, isTurn, memory });
      if (reply.verdict === "added") return { verdict: "added", items: newItems };
      if (reply.verdict === "taken") newItems = identifyItems(withoutReferences(newItems, reply.ids), newId, reply.ids);
      else if (reply.verdict === "full") return { verdict: "full", problem: problemOf(this.#limits, reply.bound) };
      else return { verdict: reply.verdict };
    }
    throw busyFailure();
  }

  /** Leaves out references to items that the conversation has already. */
  async withoutOwnReferences(
    conversation: ConversationRef,
    items: readonly JsonObject[],
  ): Promise<readonly JsonObject[]> {
    if (items.every((item) => referenceOf(item) === undefined)) return items;
    const { ids } = keysOf(conversation);
    return withoutReferences(items, await orUnavailable(this.#records.redis.lrange(ids, 0, -1)));
  }

  /**
   * Reads part of a conversation; undefined if it does not exist, "unknown" if it has no item with the id that `range`
   * names.
   */
  async read(
    conversation: ConversationRef,
    range: ItemRange,
    memory: RecordMemory,
  ): Promise<ItemPage | "unknown" | undefined> {
    const { redis } = this.#records;
    const keys = keysOf(conversation);
    const { onlyId, after, newestFirst, limit } = range;
    const renewal = new RenewalMemory(memory);
    const reply = await this.#retry(conversation, renewal, async () => {
      const attempt = await orUnavailable(readItems(redis, keys, { onlyId, after, newestFirst, limit }));
      return attempt.verdict === "outdated" ? undefined : attempt;
    });
    if (reply.verdict === "absent") return undefined;
    if (reply.verdict === "unknown") return "unknown";
    const reader = new RecordReader(renewal.ofAttempt(), this.#limits.body);
    const items: { readonly id: string; readonly text: Buffer }[] = [];
    for (let pair = 0; pair < reply.items.length; pair += 2) {
      const [id = "", record = ""] = reply.items.slice(pair, pair + 2);
      items.push({ id, text: await reader.unpack(decryptItem(this.#records, keys.list, record)) });
    }
    return { ids: items.map(({ id }) => id), texts: items.map(({ text }) => text), hasMore: reply.hasMore };
  }

  /** Returns one item as JSON; undefined if it does not exist. */
  async readItem(conversation: ConversationRef, itemId: string, memory: RecordMemory): Promise<Buffer | undefined> {
    const page = await this.read(conversation, { onlyId: itemId, newestFirst: false, limit: 1 }, memory);
    return page === "unknown" ? undefined : page?.texts[0];
  }

  /**
   * Reads all items in order, for a turn that will be added; undefined if the conversation does not exist, "full" if it
   * has no room for `newItems` items or did not have it for an earlier turn. If another secret has encrypted the items,
   * they are encrypted again first. A failure of this can still be answered now, and `add` then needs no memory for it.
   * Throws as `readAll` does.
   */
  async readForTurn(
    conversation: ConversationRef,
    newItems: number,
    memory: RecordMemory,
  ): Promise<readonly JsonObject[] | "full" | undefined> {
    const renewal = new RenewalMemory(memory);
    if (!(await this.#renewOther(conversation, renewal))) return undefined;
    const [[mark, bytes], items] = await Promise.all([
      orUnavailable(this.#records.redis.hmget(keysOf(conversation).head, "full", "bytes")),
      this.readAll(conversation, renewal.ofAttempt()),
    ]);
    return isFull(this.#limits, mark, bytes) || items.length + newItems > this.#limits.maxItems ? "full" : items;
  }

  /** Encrypts a conversation again if another secret has encrypted it. Returns false if the conversation does not exist. */
  #renewOther(conversation: ConversationRef, renewal: RenewalMemory): Promise<boolean> {
    const { redis, cipher } = this.#records;
    return this.#retry(conversation, renewal, async () => {
      const [createdAt, secret] = await orUnavailable(redis.hmget(keysOf(conversation).head, "createdAt", "secret"));
      if (createdAt === null) return false;
      return secret === cipher.secretId || undefined;
    });
  }

  /** Calls `attempt` until it does not return undefined, as `retryRenewed` does. */
  #retry<T>(conversation: ConversationRef, renewal: RenewalMemory, attempt: () => Promise<T | undefined>): Promise<T> {
    return retryRenewed(attempt, () =>
      renewConversation(this.#records, this.#limits, conversation, renewal.ofAttempt()),
    );
  }

  /** Reads all items in order. Throws Failure request_too_large (413) if they exceed the limits of a request body. */
  async readAll(conversation: ConversationRef, memory: RecordMemory): Promise<readonly JsonObject[]> {
    const { redis } = this.#records;
    const { list } = keysOf(conversation);
    const reader = new RecordReader(memory, this.#limits.body);
    const items: JsonObject[] = [];
    for (const record of await orUnavailable(redis.lrange(list, 0, -1)))
      items.push(await reader.parse(decryptItem(this.#records, list, record)));
    return items;
  }

  /** Removes an item from a conversation. Returns false if the item does not exist. */
  async removeItem(conversation: ConversationRef, itemId: string, memory: RecordMemory): Promise<boolean> {
    const { redis } = this.#records;
    const keys = keysOf(conversation);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const text = await this.readItem(conversation, itemId, memory);
      if (text === undefined) return false;
      const reply = await orUnavailable(removeItem(redis, keys, { id: itemId, ...(await sizesOf(text)) }));
      if (reply.verdict !== "outdated") return reply.verdict === "removed";
    }
    throw busyFailure();
  }
}
