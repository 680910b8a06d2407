/** Returns the number of tokens of a text, the same for all vendors. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

export const charactersPerToken = 4;

/** Splits a text into tokens. */
export function tokenTexts(text: string): readonly string[] {
  return Array.from({ length: tokensOf(text) }, (_, at) =>
    text.slice(at * charactersPerToken, (at + 1) * charactersPerToken),
  );
}

const defaultChunks = 8;

/** Splits a text into `count` pieces. The letters of a shorter text are repeated, so that there are enough pieces. */
export function piecesOf(text: string, count = Math.min(defaultChunks, text.length)): readonly string[] {
  if (count === 0) return [];
  const letters = Array.from(text);
  if (letters.length < count)
    return Array.from({ length: count }, (_, at) => letters[at % Math.max(1, letters.length)] ?? "x");
  return Array.from({ length: count }, (_, at) =>
    letters.slice(Math.floor((at * letters.length) / count), Math.floor(((at + 1) * letters.length) / count)).join(""),
  );
}

/** Splits a text in two halves, as vendors split the arguments of a tool call. */
export function halvesOf(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
}
