import { Refusal } from "../../checks/refusal.ts";
import { tokensOfItem, type Item, type ItemTokens } from "./items.ts";

/** Items of a conversation, and those that a response has read. */
export class ConversationItems {
  readonly #items: Item[] = [];
  readonly #read = new Set<string>();

  get items(): readonly Item[] {
    return this.#items;
  }

  get last(): Item | undefined {
    return this.#items.at(-1);
  }

  /** Adds items. Throws a Refusal for the result of an unknown call. */
  add(...items: readonly Item[]): void {
    for (const { type, callId } of items)
      if (type === "function_call_output" && !this.#hasCall(callId))
        throw new Refusal(400, `There is no call ${String(callId)}.`, { path: ["item", "call_id"] });
    this.#items.push(...items);
  }

  /** Returns the item with an id. Throws a Refusal for an unknown id. */
  find(id: unknown): Item {
    const found = this.#items.find((item) => item.id === id);
    if (found === undefined)
      throw new Refusal(400, `There is no item ${String(id)}.`, { code: "item_not_found", path: ["item_id"] });
    return found;
  }

  remove(id: unknown): void {
    this.#items.splice(this.#items.indexOf(this.find(id)), 1);
  }

  /** Marks items as read. Returns the tokens of the items that were read before, because those tokens are cached. */
  read(items: readonly Item[]): ItemTokens {
    const cached = tokensOfItems(items.filter(({ id }) => this.#read.has(id)));
    for (const { id } of items) this.#read.add(id);
    return cached;
  }

  #hasCall(callId: string | undefined): boolean {
    return this.#items.some((item) => item.type === "function_call" && item.callId === callId);
  }
}

/** Returns the tokens of several items. */
export function tokensOfItems(items: readonly Item[]): ItemTokens {
  return items
    .map(tokensOfItem)
    .reduce((sum, { text, audio }) => ({ text: sum.text + text, audio: sum.audio + audio }), { text: 0, audio: 0 });
}
