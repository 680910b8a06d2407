/** Source of pseudo-random values that are the same for the same seed (mulberry32). */
export interface RandomSource {
  /** Returns a whole number from 0 to `below` − 1. */
  below(below: number): number;
  /** Returns true with a probability of `percent`. */
  withProbability(percent: number): boolean;
  /** Returns a random element of a list; undefined for an empty list. */
  pick<T>(list: readonly T[]): T | undefined;
  /** Returns the list in random order. */
  shuffled<T>(list: readonly T[]): T[];
}

export function seededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    withProbability: (percent) => next() * 100 < percent,
    pick: (list) => list[below(list.length)],
    shuffled(list) {
      const remaining = [...list];
      return list.flatMap(() => remaining.splice(below(remaining.length), 1));
    },
  };
}
