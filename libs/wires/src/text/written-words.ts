/** Up to the opening quote of what a model wrote, in the members of all text wires. */
const openingOfWords =
  /"(?:content|reasoning_content|reasoning|refusal|name|arguments|text|thinking|partial_json|delta)"\s*:\s*"/g;

/** What the model wrote, out of raw JSON: pieces of frames, or a whole answer. */
export function wordsIn(raw: string): string {
  let words = "";
  // Each literal's end is looked for by hand: an expression over a literal of megabytes overflows its stack.
  for (openingOfWords.lastIndex = 0; openingOfWords.test(raw);) {
    const open = openingOfWords.lastIndex - 1;
    const end = endOfLiteral(raw, open);
    words += literalText(raw.slice(open, end));
    openingOfWords.lastIndex = end;
  }
  return words;
}

/** What a literal says; of one that was cut off, or is none, what stands in it as it stands. */
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
