/** Dimensions of every call. */
export const plainDimensions = ["model", "account", "team", "channel"] as const;

/** Dimension of a breakdown: a field of every call, or a tag. */
export type Dimension = (typeof plainDimensions)[number] | `tag:${string}`;

/** Parses a dimension in an address. */
export function dimensionOf(text: unknown): Dimension | undefined {
  const plain = plainDimensions.find((name) => name === text);
  if (plain !== undefined) return plain;
  return typeof text === "string" && isTagDimension(text) ? text : undefined;
}

/** Returns true if a dimension is a tag. */
export function isTagDimension(word: string): word is `tag:${string}` {
  return word.startsWith("tag:") && word.length > "tag:".length;
}

/** Returns the tag of a tag dimension. */
export function tagIn(by: Dimension): string | undefined {
  return isTagDimension(by) ? by.slice("tag:".length) : undefined;
}
