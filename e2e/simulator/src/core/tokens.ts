/** The stated rule of every simulated vendor: a token is four characters, rounded up. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

export const charactersPerToken = 4;

/** The tokens of a text, each a piece of it. */
export function tokenTexts(text: string): readonly string[] {
  return Array.from({ length: tokensOf(text) }, (_, at) =>
    text.slice(at * charactersPerToken, (at + 1) * charactersPerToken),
  );
}

const defaultChunks = 8;

/**
 * A text in so many pieces, eight if it is not said how many; a text shorter than that is repeated, so that a benchmark
 * gets its chunks.
 */
export function piecesOf(text: string, wanted = Math.min(defaultChunks, text.length)): readonly string[] {
  if (wanted === 0) return [];
  const letters = Array.from(text);
  if (letters.length < wanted)
    return Array.from({ length: wanted }, (_, at) => letters[at % Math.max(1, letters.length)] ?? "x");
  return Array.from({ length: wanted }, (_, at) =>
    letters
      .slice(Math.floor((at * letters.length) / wanted), Math.floor(((at + 1) * letters.length) / wanted))
      .join(""),
  );
}

/** A text in two halves, as vendors cut the arguments of a tool call; nothing is left of an empty one. */
export function halvesOf(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
}
