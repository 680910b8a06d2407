export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the median, minimum and maximum of values, or undefined. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined) return undefined;
  const median = middle.reduce((sum, value) => sum + value, 0) / middle.length;
  return { median, min: lowest, max: highest };
}

/**
 * Returns the spread of the ratios of two values in each round. Other load of the machine affects both values, and
 * therefore hardly their ratio.
 */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Spread | undefined {
  return spreadOf(ours.flatMap((one, at) => (theirs[at] ? [one / theirs[at]] : [])));
}

export function formatSpread({ median, min: lowest, max: highest }: Spread, digits = 0): string {
  const write = (value: number): string => value.toFixed(digits);
  return lowest === highest ? write(median) : `${write(median)} (${write(lowest)}-${write(highest)})`;
}
