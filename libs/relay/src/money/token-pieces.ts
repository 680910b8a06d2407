/**
 * Maximum characters of a text for the tokenizer. Without word breaks, the tokenizer's time grows with the square of
 * the length: 80,000 Chinese characters would take 17 s.
 */
const pieceCharacters = 256;
/** Number of characters at the end of a piece in which a space is searched. */
const breakWithin = 64;

/** Splits a text into pieces for the tokenizer. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

/** Returns the end of the piece at `start`: before a space if possible, and never between two surrogates. */
function endOfPiece(text: string, start: number): number {
  const maxEnd = start + pieceCharacters;
  if (maxEnd >= text.length) return text.length;
  for (let index = maxEnd; index > maxEnd - breakWithin; index--)
    if (text[index] === " " && text[index - 1] !== " ") return index;
  return isInsidePair(text, maxEnd) ? maxEnd - 1 : maxEnd;
}

function isInsidePair(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
