import { textAt } from "../../checks/members.ts";

const maxResponses = 1_000;

/**
 * Stored conversations by API key and id of the answer, which later requests may continue. The oldest one is removed at
 * the maximum.
 */
const storedResponses = new Map<string, readonly unknown[]>();
const storedItems = new Map<string, unknown>();

const nameOf = (key: string, id: string): string => `${key}\n${id}`;

/** Stores the complete conversation of an answer: earlier items, the request's items and the answer's items. */
export function storeResponse(key: string, id: string, items: readonly unknown[]): void {
  const [oldest] = storedResponses.keys();
  if (storedResponses.size >= maxResponses && oldest !== undefined) storedResponses.delete(oldest);
  if (storedItems.size >= maxResponses * 10) storedItems.clear();
  storedResponses.set(nameOf(key, id), items);
  for (const item of items) storedItems.set(nameOf(key, textAt(item, "id") ?? ""), item);
}

/** Returns the conversation up to and including an answer; undefined if the API key has no answer with that id. */
export function storedConversation(key: string, id: string): readonly unknown[] | undefined {
  return storedResponses.get(nameOf(key, id));
}

/** Returns an item of a stored request or answer of this API key; undefined if there is none with that id. */
export function storedItem(key: string, id: string): unknown {
  return storedItems.get(nameOf(key, id));
}
