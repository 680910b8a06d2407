import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { shardOf } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { defineScript, orUnavailable } from "@modelgate/platform";
import { renderJson, reparseJson, type JsonLimits } from "@modelgate/relay";
import { parseRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";
import type { RecordStore } from "../record-seal.ts";

/** Bounds of what is kept of conversations. */
export interface ConversationLimits {
  /** How long one is kept after it was last changed. */
  readonly lifetimeMs: number;
  readonly maxItems: number;
  /** What the items of one may come to, packed. */
  readonly maxBytes: number;
  /** The bound of all that one request may refer to, as of a body. */
  readonly body: Pick<JsonLimits, "maxBytes">;
}

/** A conversation, whose items are kept apart from it. */
export interface Conversation {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly metadata: JsonObject;
}

/**
 * What came of an addition: a conversation that is gone, or as long as it may be, takes no more, nor does one of an account
 * that keeps as much as it may.
 */
export type Addition = "added" | "absent" | "full" | "over-limit";

const addScript = defineScript({
  file: new URL("add-items.lua", import.meta.url),
  keys: ["head", "list"],
  args: { maxItems: "number", maxBytes: "number", lifetimeMs: "number", items: "text[]" },
  replies: { added: {}, absent: {}, full: {} } satisfies Record<Exclude<Addition, "over-limit">, object>,
});

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Conversations by owner and id. The owner is in the key: no account finds another's. */
export class ConversationStore {
  readonly #redis: RecordStore["redis"];
  readonly #book: RecordStore["book"];
  readonly #seal: RecordStore["seal"];
  readonly #limits: ConversationLimits;

  constructor({ redis, book, seal }: RecordStore, limits: ConversationLimits) {
    this.#redis = redis;
    this.#book = book;
    this.#seal = seal;
    this.#limits = limits;
  }

  /** Keeps a conversation, new or with other metadata; false where the account keeps as much as it may. */
  async save(accountId: string, id: string, { createdAt, metadata }: Conversation): Promise<boolean> {
    const { head, list } = keysOf(accountId, id);
    const { lifetimeMs } = this.#limits;
    const sealed = this.#seal.seal(Buffer.from(JSON.stringify(metadata)), head);
    if (!(await this.#book.keep({ accountId, record: head }, sealed.length, lifetimeMs))) return false;
    await orUnavailable(this.#redis.hset(head, { createdAt, metadata: sealed }));
    await orUnavailable(this.#redis.pexpire(head, lifetimeMs));
    await orUnavailable(this.#redis.pexpire(list, lifetimeMs));
    return true;
  }

  async find(accountId: string, id: string): Promise<Conversation | undefined> {
    const { head } = keysOf(accountId, id);
    const [createdAt, sealed] = await orUnavailable(this.#redis.hmgetBuffer(head, "createdAt", "metadata"));
    const metadata = sealed && this.#seal.open(sealed, head);
    if (!createdAt || !metadata) return undefined;
    return { createdAt: Number(createdAt), metadata: parseRecord(metadata.toString()) ?? {} };
  }

  /** Whether a conversation of so many items takes no more turns. */
  isFull(items: number): boolean {
    return items >= this.#limits.maxItems;
  }

  /** Whether there was one. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const { head, list } = keysOf(accountId, id);
    await this.#book.drop({ accountId, record: head });
    await this.#book.drop({ accountId, record: list });
    return (await orUnavailable(this.#redis.del(head, list))) > 0;
  }

  /** Adds items in their order, all or none of them. */
  async add(accountId: string, id: string, items: readonly JsonObject[]): Promise<Addition> {
    const keys = keysOf(accountId, id);
    const records: string[] = [];
    for (const item of items) {
      const packed = await compress(await renderJson(item, Infinity));
      records.push(this.#seal.seal(packed, keys.list).toString("base64"));
    }
    const { lifetimeMs, maxItems, maxBytes } = this.#limits;
    const args = { maxItems, maxBytes, lifetimeMs, items: records };
    const record = { accountId, record: keys.list };
    const bytes = records.reduce((sum, each) => sum + each.length, 0);
    if (!(await this.#book.grow(record, bytes, lifetimeMs))) return "over-limit";
    const { verdict } = await orUnavailable(addScript(this.#redis, keys, args));
    if (verdict !== "added") await this.#book.grow(record, -bytes, lifetimeMs);
    return verdict;
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
    if ((await orUnavailable(this.#redis.lrem(list, 1, found.record))) === 0) return false;
    await orUnavailable(this.#redis.hincrby(head, "bytes", -found.record.length));
    await this.#book.grow({ accountId, record: list }, -found.record.length, this.#limits.lifetimeMs);
    return true;
  }

  async #entries(accountId: string, id: string) {
    const { list } = keysOf(accountId, id);
    const { maxBytes } = this.#limits.body;
    const entries: { readonly record: string; readonly item: JsonObject }[] = [];
    let left = maxBytes;
    for (const record of await orUnavailable(this.#redis.lrange(list, 0, -1))) {
      const packed = this.#seal.open(Buffer.from(record, "base64"), list);
      if (packed === undefined) continue;
      const text = await unpack(packed, left, maxBytes);
      left -= text.length;
      entries.push({ record, item: await reparseJson(text) });
    }
    return entries;
  }
}

async function unpack(packed: Buffer, leftBytes: number, maxBytes: number): Promise<Buffer> {
  try {
    return await decompress(packed, { maxOutputLength: Math.max(1, leftBytes) });
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
