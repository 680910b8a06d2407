/** Values of several rounds: median, minimum and maximum. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the spread of a value over rounds; undefined if there were none. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const [least, median, most] = [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
  return least === undefined || median === undefined || most === undefined
    ? undefined
    : { median, min: least, max: most };
}

/**
 * Returns the spread of the ratios of the rounds; undefined if there are none. Values are divided by round, because
 * other load of the machine affects both values of a round.
 */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Spread | undefined {
  return spreadOf(ours.flatMap((one, at) => (theirs[at] ? [one / theirs[at]] : [])));
}

/** Formats a spread with this number of decimal places. */
export function textOf({ median, min: least, max: most }: Spread, digits = 0): string {
  const write = (value: number): string => value.toFixed(digits);
  return least === most ? write(median) : `${write(median)} (${write(least)}-${write(most)})`;
}
