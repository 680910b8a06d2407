/** An exact decimal number: `digits` × 10^-`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const decimalShape = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Parses a decimal number exactly. Throws RangeError for other texts. */
export function parseDecimal(text: string | number): Decimal {
  const match = decimalShape.exec(String(text));
  if (match === null) throw new RangeError(`not a decimal number: ${String(text)}`);
  const [, sign = "", integerPart = "0", fraction = "", exponent = "0"] = match;
  const digits = BigInt(`${sign}${integerPart}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/**
 * Returns a number as an integer multiple of 10^-`scale`: `toScale(parseDecimal("0.25"), 3)` is 250n. Throws RangeError
 * if it has more decimal places.
 */
export function toScale(decimal: Decimal, scale: number): bigint {
  if (decimal.scale <= scale) return decimal.digits * 10n ** BigInt(scale - decimal.scale);
  const excess = 10n ** BigInt(decimal.scale - scale);
  if (decimal.digits % excess !== 0n) throw new RangeError(`more than ${scale} decimal places`);
  return decimal.digits / excess;
}
