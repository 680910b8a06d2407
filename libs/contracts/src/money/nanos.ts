import { parseDecimal, toScale } from "./decimal.ts";

/** Money in integer nano-dollars. 1 USD is 1,000,000,000 nano-dollars. */
export type Nanos = bigint;

const nanoDecimals = 9;

/** Converts a text in dollars ("10.00") to nano-dollars. Throws RangeError for other texts. */
export function parseUsd(text: string): Nanos {
  if (!/^-?\d{1,20}(\.\d{1,20})?$/.test(text)) throw new RangeError(`not an amount of dollars: ${text}`);
  return toScale(parseDecimal(text), nanoDecimals);
}

/** Converts dollars in the configuration to nano-dollars. Throws RangeError for more than nine decimal places. */
export function dollarsToNanos(dollars: number): Nanos {
  return toScale(parseDecimal(dollars), nanoDecimals);
}

/** Renders nano-dollars as dollars, with at least two decimal places: 1500000000n is "1.50". */
export function formatUsd(nanos: Nanos): string {
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(nanoDecimals + 1, "0");
  const point = digits.length - nanoDecimals;
  let end = digits.length;
  while (end > point + 2 && digits[end - 1] === "0") end--;
  return `${nanos < 0n ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** Parses nano-dollars from decimal text. Throws RangeError for other texts. */
export function parseNanos(text: string): Nanos {
  if (!/^-?\d{1,40}$/.test(text)) throw new RangeError(`not an amount of nano-dollars: ${text}`);
  return BigInt(text);
}
