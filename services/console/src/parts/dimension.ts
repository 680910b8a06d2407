/** Dimension of a breakdown: a member of every call, or a tag. */
export type Dimension = "model" | "account" | "channel" | `tag:${string}`;

/** A dimension from an address; undefined where it names none. */
export function dimensionOf(text: unknown): Dimension | undefined {
  if (text === "model" || text === "account" || text === "channel") return text;
  return typeof text === "string" && isTagDimension(text) ? text : undefined;
}

/** Returns true if a dimension is a tag. */
export function isTagDimension(word: string): word is `tag:${string}` {
  return word.startsWith("tag:") && word.length > "tag:".length;
}

/** The name of the tag that figures are split by. */
export function tagIn(by: Dimension): string | undefined {
  return isTagDimension(by) ? by.slice("tag:".length) : undefined;
}
