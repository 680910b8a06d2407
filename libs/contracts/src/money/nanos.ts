import { parseDecimal, toScale } from "./decimal.ts";

/** Money in integer nano-dollars. 1 USD = 1,000,000,000. */
export type Nanos = bigint;

/** Decimal places of nano-dollars. */
const decimals = 9;

/**
 * Converts a decimal text in dollars ("10.00") to nano-dollars. Throws RangeError for other texts, and beyond nine
 * decimal places.
 */
export function parseUsd(written: string): Nanos {
  if (!/^-?\d{1,20}(\.\d{1,20})?$/.test(written)) throw new RangeError(`not an amount of dollars: ${written}`);
  return toScale(parseDecimal(written), decimals);
}

/**
 * Converts a number of dollars, as in the configuration, to nano-dollars. Throws RangeError beyond nine decimal places.
 */
export function nanosOf(dollars: number): Nanos {
  return toScale(parseDecimal(dollars), decimals);
}

/** Renders nano-dollars as dollars with at least two decimals, and no more than needed: 1500000000n is "1.50". */
export function formatUsd(nanos: Nanos): string {
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point + 2 && digits[end - 1] === "0") end--;
  return `${nanos < 0n ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** Parses nano-dollars from decimal text, as in Redis and events. Throws RangeError for other texts. */
export function parseNanos(written: string): Nanos {
  if (!/^-?\d{1,40}$/.test(written)) throw new RangeError(`not an amount of nano-dollars: ${written}`);
  return BigInt(written);
}
