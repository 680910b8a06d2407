/**
 * Maximum characters that the tokenizer gets in one piece. Its work grows with the square of the length of a run
 * without a break (Chinese text, a line of spaces): 80,000 such characters in one piece take 17 s, in these pieces a
 * few hundredths of a second.
 */
const pieceCharacters = 256;
/** Characters at the end of a piece in which a break is searched, so that words are not split. */
const breakWithin = 64;

/** Cuts a text into pieces for the tokenizer. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

/** Returns the end of the piece that begins at `start`: before a word's space where there is one, never inside a character. */
function endOfPiece(text: string, start: number): number {
  const most = start + pieceCharacters;
  if (most >= text.length) return text.length;
  for (let at = most; at > most - breakWithin; at--) if (text[at] === " " && text[at - 1] !== " ") return at;
  return isInsidePair(text, most) ? most - 1 : most;
}

function isInsidePair(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
