import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

/** A stored thread of messages. Its key contains the id of the last message. */
export interface StoredThread {
  /** All messages, including the last answer. */
  readonly messages: readonly JsonObject[];
  /** `system` and `tools` with which the thread was created. */
  readonly head: JsonObject;
}

/** Parses a stored thread. Missing or invalid members become empty. */
export function parseThread({ messages, head }: JsonObject): StoredThread {
  return { messages: Array.isArray(messages) ? messages.filter(isRecord) : [], head: isRecord(head) ? head : {} };
}
