/** An exact decimal number: `digits` × 10^-`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const shape = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * Parses a decimal exactly; of a number JavaScript's shortest spelling is used, which equals the YAML text. Throws
 * RangeError for anything other than a finite decimal.
 */
export function parseDecimal(written: string | number): Decimal {
  const match = shape.exec(String(written));
  if (match === null) throw new RangeError(`not a decimal number: ${String(written)}`);
  const [, sign = "", whole = "0", fraction = "", exponent = "0"] = match;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/**
 * Returns the decimal as an integer of 10^-`scale`; throws if it has more digits. `toScale(parseDecimal("0.25"), 3)` is
 * 250n.
 */
export function toScale(decimal: Decimal, scale: number): bigint {
  if (decimal.scale <= scale) return decimal.digits * 10n ** BigInt(scale - decimal.scale);
  const excess = 10n ** BigInt(decimal.scale - scale);
  if (decimal.digits % excess !== 0n) throw new RangeError(`more than ${scale} decimal places`);
  return decimal.digits / excess;
}
