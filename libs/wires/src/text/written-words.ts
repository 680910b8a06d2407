/**
 * Creates a reader of what a model wrote, out of raw JSON: pieces of frames, or a whole answer. `members` are those of
 * the wire whose strings hold it.
 */
export function wordsReader(members: readonly string[]): (raw: string) => string {
  /** Up to the opening quote of such a string. */
  const opening = new RegExp(`"(?:${members.join("|")})"\\s*:\\s*"`, "g");
  return (raw) => {
    let words = "";
    // Each literal's end is looked for by hand: an expression over a literal of megabytes overflows its stack.
    for (opening.lastIndex = 0; opening.test(raw);) {
      const open = opening.lastIndex - 1;
      const end = endOfLiteral(raw, open);
      words += literalText(raw.slice(open, end));
      opening.lastIndex = end;
    }
    return words;
  };
}

/** Decodes a string literal; one that was cut off, or is malformed, is returned as it stands. */
function literalText(literal: string): string {
  const inside = literal.slice(1, literal.endsWith('"') ? -1 : undefined);
  if (!literal.includes("\\")) return inside;
  try {
    const text: unknown = JSON.parse(literal);
    return typeof text === "string" ? text : "";
  } catch {
    return inside;
  }
}

/** The index after the closing quote of the literal that opens at `open`, or the text's end. */
function endOfLiteral(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}
