export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the median, minimum and maximum of values, or undefined. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const [least, median, most] = [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
  return least === undefined || median === undefined || most === undefined
    ? undefined
    : { median, min: least, max: most };
}

/**
 * Returns the spread of the ratios of two values in each round. Other load of the machine affects both values, and
 * therefore hardly their ratio.
 */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Spread | undefined {
  return spreadOf(ours.flatMap((one, at) => (theirs[at] ? [one / theirs[at]] : [])));
}

export function formatSpread({ median, min: least, max: most }: Spread, digits = 0): string {
  const write = (value: number): string => value.toFixed(digits);
  return least === most ? write(median) : `${write(median)} (${write(least)}-${write(most)})`;
}
