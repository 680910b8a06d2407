import { textAt } from "../../checks/members.ts";

const maxResponses = 1_000;

/** Conversations that later requests may continue, the oldest first. */
const storedResponses = new Map<string, readonly unknown[]>();
const storedItems = new Map<string, unknown>();

const nameOf = (key: string, id: string): string => `${key}\n${id}`;

/** Stores the complete conversation of an answer. */
export function storeResponse(key: string, id: string, items: readonly unknown[]): void {
  const [oldest] = storedResponses.keys();
  if (storedResponses.size >= maxResponses && oldest !== undefined) storedResponses.delete(oldest);
  if (storedItems.size >= maxResponses * 10) storedItems.clear();
  storedResponses.set(nameOf(key, id), items);
  for (const item of items) storedItems.set(nameOf(key, textAt(item, "id") ?? ""), item);
}

/** Returns the conversation of an answer; undefined if the API key has not stored it. */
export function storedConversation(key: string, id: string): readonly unknown[] | undefined {
  return storedResponses.get(nameOf(key, id));
}

/** Returns a stored item of an API key. */
export function storedItem(key: string, id: string): unknown {
  return storedItems.get(nameOf(key, id));
}
