import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** A conversation that a thread holds, under the id of its last message. */
export interface StoredThread {
  /** All messages, the last answer included. */
  readonly messages: readonly JsonObject[];
  /** `system` and `tools` that the thread was created with, where it has some. */
  readonly head: JsonObject;
}

/** Reads a stored thread of its JSON. */
export function parseThread({ messages, head }: JsonObject): StoredThread {
  return { messages: Array.isArray(messages) ? messages.filter(isRecord) : [], head: isRecord(head) ? head : {} };
}
