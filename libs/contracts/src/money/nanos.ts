import { parseDecimal, toScale } from "./decimal.ts";

/** Money: integer nano-dollars. 1 USD = 1,000,000,000. */
export type Nanos = bigint;

const perDollar = 1_000_000_000n;

/** Dollars as written ("10.00") in nano-dollars. Throws RangeError for other spellings and beyond nine decimal places. */
export function parseUsd(written: string): Nanos {
  if (!/^-?\d{1,20}(\.\d{1,20})?$/.test(written)) throw new RangeError(`not an amount of dollars: ${written}`);
  return toScale(parseDecimal(written), 9);
}

/** Dollars as the configuration writes them, a number. Throws RangeError beyond nine decimal places. */
export function nanosOf(dollars: number): Nanos {
  return toScale(parseDecimal(dollars), 9);
}

/** Nano-dollars as dollars, at least two decimals and no more than needed: 1500000000n is "1.50". */
export function formatUsd(nanos: Nanos): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % perDollar)
    .padStart(9, "0")
    .replace(/0{1,7}$/, "");
  return `${nanos < 0n ? "-" : ""}${size / perDollar}.${fraction}`;
}

/** Nano-dollars from the decimal string that Redis and events carry. Throws RangeError for anything else. */
export function parseNanos(written: string): Nanos {
  if (!/^-?\d{1,40}$/.test(written)) throw new RangeError(`not an amount of nano-dollars: ${written}`);
  return BigInt(written);
}
