import type { Segment } from "./answer.ts";

/** A sentence's end ends a segment; without one a segment is as long as this at most. */
const endOfSentence = /[.!?…。！？]["'”’)]*$/;
const longestSeconds = 12;

/** Words as segments, for vendors that give times of words alone. */
export function segmentsOfWords(words: readonly Segment[]): readonly Segment[] {
  const segments: Segment[] = [];
  let open: Segment[] = [];
  const close = (): void => {
    const [first, last] = [open[0], open.at(-1)];
    if (first !== undefined && last !== undefined)
      segments.push({ text: open.map(({ text }) => text).join(" "), start: first.start, end: last.end });
    open = [];
  };
  for (const word of words) {
    open.push(word);
    if (endOfSentence.test(word.text) || word.end - (open[0]?.start ?? 0) >= longestSeconds) close();
  }
  close();
  return segments;
}
