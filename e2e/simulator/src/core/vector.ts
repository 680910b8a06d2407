import { createHash } from "node:crypto";

/** Returns the words of a text in lower case. */
export function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns a unit vector that depends on the text. Texts with common words have close vectors. */
export function vectorOf(text: string, dimensions: number): readonly number[] {
  const sum = Array.from({ length: dimensions }, () => 0);
  for (const word of [...wordsIn(text), text]) {
    const next = randomFrom(word);
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + next();
  }
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

/** Creates a generator of numbers from -1 to 1 that depend on a word. */
function randomFrom(word: string): () => number {
  let state = createHash("sha256").update(word).digest().readUInt32LE(0) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 0x8000_0000;
  };
}
