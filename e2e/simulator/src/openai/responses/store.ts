import { textAt } from "../../checks/members.ts";

const maxResponses = 1_000;

/** Answers that a follow-up may name; each key sees its own. The oldest makes room. */
const kept = new Map<string, readonly unknown[]>();
const keptItems = new Map<string, unknown>();

const nameOf = (key: string, id: string): string => `${key}\n${id}`;

/** Keeps the whole conversation of an answer: what was asked, what came before, what was answered. */
export function keepResponse(key: string, id: string, items: readonly unknown[]): void {
  const [oldest] = kept.keys();
  if (kept.size >= maxResponses && oldest !== undefined) kept.delete(oldest);
  if (keptItems.size >= maxResponses * 10) keptItems.clear();
  kept.set(nameOf(key, id), items);
  for (const item of items) keptItems.set(nameOf(key, textAt(item, "id") ?? ""), item);
}

/** The conversation up to an answer; undefined where this key has none of that id. */
export function keptConversation(key: string, id: string): readonly unknown[] | undefined {
  return kept.get(nameOf(key, id));
}

/** The item of that id that this key was sent; undefined where there is none. */
export function keptItem(key: string, id: string): unknown {
  return keptItems.get(nameOf(key, id));
}
