/** Dimension of a breakdown: a field of every call, or a tag. */
export type Dimension = "model" | "account" | "channel" | `tag:${string}`;

/** Parses a dimension from an address; undefined for any other text. */
export function dimensionOf(text: unknown): Dimension | undefined {
  if (text === "model" || text === "account" || text === "channel") return text;
  return typeof text === "string" && isTagDimension(text) ? text : undefined;
}

/** Returns true if a dimension is a tag. */
export function isTagDimension(word: string): word is `tag:${string}` {
  return word.startsWith("tag:") && word.length > "tag:".length;
}

/** Returns the tag of a tag dimension; undefined for other dimensions. */
export function tagIn(by: Dimension): string | undefined {
  return isTagDimension(by) ? by.slice("tag:".length) : undefined;
}
