/** Fewest characters of a clause that ends where a comma or a full stop does, and most of any. */
const [fewest, most] = [16, 80] as const;

const clause = new RegExp(
  [
    // As far as the next mark that a voice rests at,
    String.raw`[\s\S]{${fewest},${most}}?(?:[.!?;:,。！？；：，、]+(?:\s+|$)|\n+)`,
    // or as many whole words as may be,
    String.raw`[\s\S]{1,${most}}(?:\s+|$)`,
    // or whatever it is.
    String.raw`[\s\S]{1,${most}}`,
  ].join("|"),
  "gu",
);

/** A text in pieces that are spoken in one breath; joined, they are the text. */
export function clausesOf(text: string): readonly string[] {
  return text.match(clause) ?? [];
}
