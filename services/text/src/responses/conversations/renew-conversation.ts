import { hash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Failure } from "@modelgate/contracts";
import { orUnavailable } from "@modelgate/platform";
import { reparseJson } from "@modelgate/relay";
import { withCurrentCompaction, type CompactionCipher } from "../compaction/compaction-cipher.ts";
import { RecordReader, type RecordBounds, type RecordMemory } from "../record-reader.ts";
import type { ConversationRecords } from "./conversation-limits.ts";
import { identifyItems } from "./conversation-items.ts";
import { replaceItems, keysOf, type ConversationRef } from "./conversation-scripts.ts";
import { addSizes, noSizes, decryptItem, decryptStored, encryptItem, packItem, sizesOf } from "./packed-items.ts";

/** Maximum attempts to change or read a conversation that other requests change at the same time. */
export const maxAttempts = 10;
/** Wait in ms after a change by another process. Without it, ten attempts may end while that process still works. */
const [minWaitMs, maxRandomMs] = [10, 50];
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
 * Calls `attempt` until it does not return undefined, which means that the conversation must be renewed first. Throws
 * Failure server_overloaded (503) after the last attempt.
 */
export async function retryRenewed<T>(attempt: () => Promise<T | undefined>, renew: () => Promise<void>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (attempts === maxAttempts) throw busyFailure();
    await renew();
  }
}

/** Creates the failure of a request whose conversation other requests change again and again. */
export function busyFailure(): Failure {
  return new Failure("server_overloaded", "The conversation is being changed by too many requests; try again.", {
    retryAfterSeconds: 1,
  });
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
  let before = chained("", storedMetadata);
  const reader = new RecordReader(memory, body);
  const ids = new Set<string>();
  const items: string[] = [];
  let sizes = noSizes;
  for (let from = 0; ; from += itemsPerRead) {
    const records = await orUnavailable(redis.lrange(keys.list, from, from + itemsPerRead - 1));
    for (const record of records) {
      before = chained(before, record);
      const packed = decryptItem(cipher, keys.list, record);
      const entry = await indexEntryOf(await reader.unpack(packed), { compactions, accountId }, ids);
      ids.add(entry.id);
      sizes = addSizes(sizes, entry.sizes);
      items.push(
        entry.id,
        entry.item === undefined
          ? encryptItem(cipher, keys.list, packed)
          : (await packItem(cipher, keys.list, entry.item)).record,
      );
    }
    if (records.length < itemsPerRead) break;
  }
  const reply = await orUnavailable(
    replaceItems(redis, keys, {
      ...sizes,
      before,
      secret: cipher.secretId,
      metadata: metadata.toString("hex"),
      items,
    }),
  );
  if (reply.verdict === "replaced")
    await quota.addBytesBeyondLimit({ accountId, record: keys.list }, reply.grownBy, lifetimeMs);
  else await wait(minWaitMs + Math.random() * maxRandomMs);
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
  if (renewed === stored && id === stored["id"]) return { id, sizes: await sizesOf(text), item: undefined };
  return { id, sizes: await sizesOf(Buffer.from(JSON.stringify(item))), item };
}
