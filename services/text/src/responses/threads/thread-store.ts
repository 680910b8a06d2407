import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Conversation of a thread, stored with the id of its last message as its key. */
export interface StoredThread {
  /** All messages, including the last answer. */
  readonly messages: readonly JsonObject[];
  /** `system` and `tools` that the thread was created with, if any. */
  readonly head: JsonObject;
}

/** Parses a stored thread. */
export function parseThread({ messages, head }: JsonObject): StoredThread {
  return { messages: Array.isArray(messages) ? messages.filter(isRecord) : [], head: isRecord(head) ? head : {} };
}
