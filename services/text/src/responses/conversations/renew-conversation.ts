import { setTimeout as wait } from "node:timers/promises";
import { Failure } from "@modelgate/contracts";
import { executeTransaction, orUnavailable, type Redis } from "@modelgate/platform";
import type { RecordBounds, RecordMemory } from "../record-reader.ts";
import type { ConversationRecords } from "./conversation-limits.ts";
import { keysOf, newKeysOf, readState, replaceItems, type ConversationRef } from "./conversation-scripts.ts";
import { encryptItems, itemsPerCommand, type EncryptedItems } from "./encrypt-items.ts";
import { decryptStored } from "./packed-items.ts";

/** Maximum attempts to change or read a conversation that other requests change at the same time. */
export const maxAttempts = 10;
/**
 * Minimum wait in ms after a change by another process, and maximum random addition. Without the wait, all attempts may
 * fail while that process still works.
 */
const [minWaitMs, maxRandomMs] = [10, 50];
/** Time in ms after which Redis removes new items that did not replace the stored ones, because a process ended. */
const newKeysLifetimeMs = 60_000;

/**
 * Memory for attempts to encrypt a conversation again. The attempts share the same bytes, because they run one after
 * another.
 */
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
  records: ConversationRecords,
  { body }: { readonly body: RecordBounds },
  conversation: ConversationRef,
  memory: RecordMemory,
): Promise<void> {
  const { redis, cipher } = records;
  const keys = keysOf(conversation);
  // The state is read first, so that `replaceItems` notices a later change of metadata or items.
  const { state, count } = await orUnavailable(readState(redis, keys, {}));
  const storedMetadata = await orUnavailable(redis.hgetBuffer(keys.head, "metadata"));
  if (storedMetadata === null) return;
  const metadata = cipher.encrypt(decryptStored(records, storedMetadata, keys.head), keys.head);
  const items = await encryptItems(records, body, { conversation, count }, memory);
  const newRedisKeys = newKeysOf(keys);
  await writeItems(redis, newRedisKeys, items);
  const { verdict } = await orUnavailable(
    replaceItems(
      redis,
      { ...keys, ...newRedisKeys },
      {
        ...items.sizes,
        before: state,
        secret: cipher.secretId,
        metadata: metadata.toString("hex"),
        bytes: [...items.ids, ...items.records].reduce((sum, text) => sum + Buffer.byteLength(text), 0),
      },
    ),
  );
  if (verdict === "changed") await wait(minWaitMs + Math.random() * maxRandomMs);
}

/** Writes items to new keys, few at a time, because Redis runs no other command meanwhile. */
async function writeItems(
  redis: Redis,
  { newList, newIds }: ReturnType<typeof newKeysOf>,
  { records, ids }: EncryptedItems,
): Promise<void> {
  for (let from = 0; from < ids.length; from += itemsPerCommand) {
    const to = from + itemsPerCommand;
    const transaction = redis
      .multi()
      .rpush(newList, ...records.slice(from, to))
      .rpush(newIds, ...ids.slice(from, to))
      .pexpire(newList, newKeysLifetimeMs)
      .pexpire(newIds, newKeysLifetimeMs);
    await orUnavailable(executeTransaction(transaction));
  }
}
