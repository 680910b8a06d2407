/** What an item's id begins with. */
const prefixes = ["msg", "rs", "fc", "ctc", "ig", "cmp", "item"] as const;
export type ItemPrefix = (typeof prefixes)[number];

/** The id of the item at an index of the output: the same in a stream and in the whole answer, and new in every answer. */
export function itemId(answerId: string, prefix: ItemPrefix, index: number): string {
  return `${prefix}_${answerId.slice(answerId.indexOf("_") + 1)}_${index}`;
}

const ownId = new RegExp(`^(?:${prefixes.join("|")})_([A-Za-z0-9_-]+)_\\d+$`);

/** The id of the response that an item is part of, which its own id contains; undefined for ids that are not of this gateway. */
export function responseOfItem(id: string): string | undefined {
  const [, answer] = ownId.exec(id) ?? [];
  return answer === undefined ? undefined : `resp_${answer}`;
}
