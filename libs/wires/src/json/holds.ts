import { turnBytes } from "./scan.ts";

/**
 * Whether bytes hold one of some words, in steps of about a millisecond. A search that is called once for all of a large
 * body can take a third of a second where every byte may begin the word.
 */
export function* holdsAny(bytes: Buffer, ...words: readonly Buffer[]): Generator<undefined, boolean> {
  if (bytes.length <= turnBytes) return words.some((word) => bytes.includes(word));
  const overlap = Math.max(...words.map(({ length }) => length)) - 1;
  for (let from = 0; from < bytes.length; from += turnBytes) {
    const slice = bytes.subarray(from, from + turnBytes + overlap);
    for (const word of words) {
      if (slice.includes(word)) return true;
      yield;
    }
  }
  return false;
}
