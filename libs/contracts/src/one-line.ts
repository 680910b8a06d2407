/** Returns a text in one line, without characters that control a terminal or the direction of text. */
export function inOneLine(text: string, maxCharacters: number): string {
  return text
    .slice(0, maxCharacters)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
}
