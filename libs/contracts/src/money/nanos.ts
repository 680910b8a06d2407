import { parseDecimal, toScale } from "./decimal.ts";

/** Money: integer nano-dollars. 1 USD = 1,000,000,000. */
export type Nanos = bigint;

/** Decimals of a dollar in nano-dollars. */
const decimals = 9;

/** Dollars as written ("10.00") in nano-dollars. Throws RangeError for other spellings and beyond nine decimal places. */
export function parseUsd(written: string): Nanos {
  if (!/^-?\d{1,20}(\.\d{1,20})?$/.test(written)) throw new RangeError(`not an amount of dollars: ${written}`);
  return toScale(parseDecimal(written), decimals);
}

/** Dollars as the configuration writes them, a number. Throws RangeError beyond nine decimal places. */
export function nanosOf(dollars: number): Nanos {
  return toScale(parseDecimal(dollars), decimals);
}

/** Nano-dollars as dollars, at least two decimals and no more than needed: 1500000000n is "1.50". */
export function formatUsd(nanos: Nanos): string {
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point + 2 && digits[end - 1] === "0") end--;
  return `${nanos < 0n ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** Nano-dollars from the decimal string that Redis and events carry. Throws RangeError for anything else. */
export function parseNanos(written: string): Nanos {
  if (!/^-?\d{1,40}$/.test(written)) throw new RangeError(`not an amount of nano-dollars: ${written}`);
  return BigInt(written);
}
