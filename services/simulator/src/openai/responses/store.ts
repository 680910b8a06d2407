import { textAt } from "../../checks/members.ts";

const mostResponses = 1_000;

/** Answers that a follow-up may name; each key sees its own. The oldest makes room. */
const kept = new Map<string, readonly unknown[]>();
const keptItems = new Set<string>();

const nameOf = (key: string, id: string): string => `${key}\n${id}`;

/** Keeps the whole conversation of an answer: what was asked, what came before, what was answered. */
export function keepResponse(key: string, id: string, items: readonly unknown[]): void {
  const [oldest] = kept.keys();
  if (kept.size >= mostResponses && oldest !== undefined) kept.delete(oldest);
  if (keptItems.size >= mostResponses * 10) keptItems.clear();
  kept.set(nameOf(key, id), items);
  for (const item of items) keptItems.add(nameOf(key, textAt(item, "id") ?? ""));
}

/** The conversation up to an answer; undefined where this key has none of that id. */
export function keptConversation(key: string, id: string): readonly unknown[] | undefined {
  return kept.get(nameOf(key, id));
}

/** Whether this key was told an item of that id. */
export function isKeptItem(key: string, id: string): boolean {
  return keptItems.has(nameOf(key, id));
}
