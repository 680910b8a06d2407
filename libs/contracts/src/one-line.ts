/**
 * Returns the beginning of a text in one line. Spaces replace line breaks and other control or format characters, which
 * could control a terminal or the direction of text.
 */
export function inOneLine(text: string, maxCharacters: number): string {
  return text
    .slice(0, maxCharacters)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
}
