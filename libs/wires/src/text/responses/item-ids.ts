/** What an item's id begins with. */
export type ItemPrefix = "msg" | "rs" | "fc" | "ctc" | "ig" | "cmp" | "item";

/** The id of the item at a place of the output: the same in a stream and in the whole answer, and new in every answer. */
export function itemId(answerId: string, prefix: ItemPrefix, index: number): string {
  return `${prefix}_${answerId.slice(answerId.indexOf("_") + 1)}_${index}`;
}
