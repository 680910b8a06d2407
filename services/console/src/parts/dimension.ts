/** Dimensions of a breakdown that every call has. Only people of an organisation have teams. */
export const plainDimensions = ["model", "account", "team", "channel"] as const;

/** Dimension of a breakdown: a field of every call, or a tag. */
export type Dimension = (typeof plainDimensions)[number] | `tag:${string}`;

/** Parses a dimension from an address; undefined for any other text. */
export function dimensionOf(text: unknown): Dimension | undefined {
  const plain = plainDimensions.find((name) => name === text);
  if (plain !== undefined) return plain;
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
