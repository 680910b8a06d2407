/**
 * Returns a text of a client or vendor in one line of at most `maxCharacters`, without characters that control a
 * terminal or the direction of text.
 */
export function inOneLine(text: string, maxCharacters: number): string {
  return text
    .slice(0, maxCharacters)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
}
