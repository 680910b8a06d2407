import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { shardOf } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { renderJson, reparseJson, type JsonLimits } from "@modelgate/relay";
import { parseRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Bounds of what is kept of conversations. */
export interface ConversationLimits {
  /** How long one is kept after it was last changed. */
  readonly lifetimeMs: number;
  readonly mostItems: number;
  /** What the items of one may come to, packed. */
  readonly mostBytes: number;
  /** The bound of all that one request may refer to, as of a body. */
  readonly body: Pick<JsonLimits, "maxBytes">;
}

/** A conversation, whose items are kept apart from it. */
export interface Conversation {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly metadata: JsonObject;
}

/** What came of an addition: a conversation that is gone, or as long as it may be, takes no more. */
export type Addition = "added" | "absent" | "full";

const addScript = defineScript({
  file: new URL("add-items.lua", import.meta.url),
  keys: ["head", "list"],
  args: { mostItems: "number", mostBytes: "number", lifetimeMs: "number", items: "text[]" },
  replies: { added: {}, absent: {}, full: {} } satisfies Record<Addition, object>,
});

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Conversations by owner and id. The owner is in the key: no account finds another's. */
export class ConversationStore {
  readonly #redis: Redis;
  readonly #limits: ConversationLimits;

  constructor(redis: Redis, limits: ConversationLimits) {
    this.#redis = redis;
    this.#limits = limits;
  }

  /** Keeps a conversation, new or with other metadata. */
  async save(accountId: string, id: string, { createdAt, metadata }: Conversation): Promise<void> {
    const { head, list } = keysOf(accountId, id);
    const { lifetimeMs } = this.#limits;
    await orUnavailable(this.#redis.hset(head, { createdAt, metadata: JSON.stringify(metadata) }));
    await orUnavailable(this.#redis.pexpire(head, lifetimeMs));
    await orUnavailable(this.#redis.pexpire(list, lifetimeMs));
  }

  async find(accountId: string, id: string): Promise<Conversation | undefined> {
    const { createdAt, metadata } = await orUnavailable(this.#redis.hgetall(keysOf(accountId, id).head));
    if (createdAt === undefined || metadata === undefined) return undefined;
    return { createdAt: Number(createdAt), metadata: parseRecord(metadata) ?? {} };
  }

  /** Whether a conversation of so many items takes no more turns. */
  isFull(items: number): boolean {
    return items >= this.#limits.mostItems;
  }

  /** Whether there was one. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const { head, list } = keysOf(accountId, id);
    return (await orUnavailable(this.#redis.del(head, list))) > 0;
  }

  /** Adds items in their order, all or none of them. */
  async add(accountId: string, id: string, items: readonly JsonObject[]): Promise<Addition> {
    const packed: string[] = [];
    for (const item of items) packed.push((await compress(await renderJson(item, Infinity))).toString("base64"));
    const { lifetimeMs, mostItems, mostBytes } = this.#limits;
    const args = { mostItems, mostBytes, lifetimeMs, items: packed };
    return (await orUnavailable(addScript(this.#redis, keysOf(accountId, id), args))).verdict;
  }

  /** All items in their order. Throws Failure request_too_large (413) where they are larger than one body may be. */
  async items(accountId: string, id: string): Promise<readonly JsonObject[]> {
    return (await this.#entries(accountId, id)).map(({ item }) => item);
  }

  /** Takes an item out of a conversation; whether it was there. */
  async removeItem(accountId: string, id: string, itemId: string): Promise<boolean> {
    const found = (await this.#entries(accountId, id)).find(({ item }) => item["id"] === itemId);
    if (found === undefined) return false;
    const { head, list } = keysOf(accountId, id);
    if ((await orUnavailable(this.#redis.lrem(list, 1, found.packed))) === 0) return false;
    await orUnavailable(this.#redis.hincrby(head, "bytes", -found.packed.length));
    return true;
  }

  async #entries(accountId: string, id: string) {
    const all = await orUnavailable(this.#redis.lrange(keysOf(accountId, id).list, 0, -1));
    const { maxBytes } = this.#limits.body;
    const entries: { readonly packed: string; readonly item: JsonObject }[] = [];
    let left = maxBytes;
    for (const packed of all) {
      const text = await unpack(packed, left, maxBytes);
      left -= text.length;
      entries.push({ packed, item: await reparseJson(text) });
    }
    return entries;
  }
}

async function unpack(packed: string, leftBytes: number, maxBytes: number): Promise<Buffer> {
  try {
    return await decompress(Buffer.from(packed, "base64"), { maxOutputLength: Math.max(1, leftBytes) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Failure("request_too_large", `The whole conversation is larger than ${maxBytes} bytes.`);
  }
}

/** Both keys are in the account's slot. */
function keysOf(accountId: string, id: string) {
  const owned = `{s${shardOf(accountId)}}:${accountId}:${id}`;
  return { head: `conversation:${owned}`, list: `conversation-items:${owned}` };
}
