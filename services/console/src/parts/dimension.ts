/** What figures are split by: what every call has, or a tag by its name. */
export type Dimension = "model" | "account" | "channel" | `tag:${string}`;

/** A dimension from an address; undefined where it names none. */
export function dimensionOf(text: unknown): Dimension | undefined {
  if (text === "model" || text === "account" || text === "channel") return text;
  return typeof text === "string" && isTagDimension(text) ? text : undefined;
}

/** Whether a word names a tag. */
export function isTagDimension(word: string): word is `tag:${string}` {
  return word.startsWith("tag:") && word.length > "tag:".length;
}

/** The name of the tag that figures are split by. */
export function tagIn(by: Dimension): string | undefined {
  return isTagDimension(by) ? by.slice("tag:".length) : undefined;
}
