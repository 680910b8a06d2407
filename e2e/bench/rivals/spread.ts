/** A figure of several rounds: its median, the least and the most. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The spread of a figure over rounds; undefined where there were none. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const [least, median, most] = [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
  return least === undefined || median === undefined || most === undefined ? undefined : { median, least, most };
}

/** A ratio round by round: what else the machine did in a round is in both of its numbers. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Spread | undefined {
  return spreadOf(ours.flatMap((one, at) => (theirs[at] ? [one / theirs[at]] : [])));
}

/** Writes it with so many digits after the point. */
export function textOf({ median, least, most }: Spread, digits = 0): string {
  const write = (value: number): string => value.toFixed(digits);
  return least === most ? write(median) : `${write(median)} (${write(least)}-${write(most)})`;
}
