import { unitNames, type UnitName, type Units } from "../units.ts";
import { parseDecimal, toScale } from "./decimal.ts";
import type { Nanos } from "./nanos.ts";

/**
 * A price's name in the configuration, the unit it prices, and how many units the written price is for. Without a price
 * of their own image tokens are priced `as` all others: most vendors count them among those.
 */
export const priceFields = {
  input: { unit: "inputTokens", per: 1_000_000 },
  cachedInput: { unit: "cachedInputTokens", per: 1_000_000 },
  cacheWrite: { unit: "cacheWriteTokens", per: 1_000_000 },
  output: { unit: "outputTokens", per: 1_000_000 },
  inputAudio: { unit: "inputAudioTokens", per: 1_000_000 },
  outputAudio: { unit: "outputAudioTokens", per: 1_000_000 },
  inputImage: { unit: "inputImageTokens", per: 1_000_000, as: "input" },
  outputImage: { unit: "outputImageTokens", per: 1_000_000, as: "output" },
  request: { unit: "requests", per: 1 },
  image: { unit: "images", per: 1 },
  second: { unit: "seconds", per: 1 },
  character: { unit: "characters", per: 1 },
} as const satisfies Record<string, { unit: UnitName; per: 1 | 1_000_000; as?: string }>;
export type PriceField = keyof typeof priceFields;
const priceFieldNames = Object.keys(priceFields).filter((field): field is PriceField => field in priceFields);

/** US dollars as the configuration writes them, per million tokens or per piece. */
export type WrittenPrice = { readonly [field in PriceField]?: number | undefined };

/** Atto-dollars (10^-18) per single unit: fine enough that every written price is a whole number of them. */
export type Price = ReadonlyMap<UnitName, bigint>;

/** Most decimal places of a written price: twelve per million tokens are 10^-18 dollars per token. */
export const priceDecimals = 12;
/** Most decimal places of a group's multiplier. */
export const multiplierDecimals = 9;
/** Parts of a second that are told apart when seconds are priced. */
const unitDecimals = 6;

/** A written price made ready for `costOf`. Throws RangeError for more decimal places than `priceDecimals`. */
export function compilePrice(written: WrittenPrice): Price {
  const price = new Map<UnitName, bigint>();
  for (const field of priceFieldNames) {
    const { unit, per } = priceFields[field];
    const dollars = written[field] ?? inPlaceOf(field, written);
    if (dollars === undefined) continue;
    price.set(unit, toScale(parseDecimal(dollars), priceDecimals) * (per === 1 ? 1_000_000n : 1n));
  }
  return price;
}

function inPlaceOf(field: PriceField, written: WrittenPrice): number | undefined {
  const priced = priceFields[field];
  return "as" in priced ? written[priced.as] : undefined;
}

/**
 * What units cost: the sum of units × price, times the group's multiplier, rounded half up once at the end.
 * A unit without a price costs nothing (`unpricedUnits` names those). Never negative for non-negative units.
 */
export function costOf(units: Units, price: Price, multiplier: number): Nanos {
  let atto = 0n;
  for (const [unit, each] of price) {
    const amount = units[unit];
    if (amount !== undefined && each !== 0n) atto += each * wholeMicros(amount);
  }
  const scaled = atto * toScale(parseDecimal(multiplier), multiplierDecimals);
  return (scaled + divisor / 2n) / divisor;
}

/** From millionths of units × atto-dollars × the multiplier's scale to nanos. */
const divisor = 10n ** BigInt(9 + unitDecimals + multiplierDecimals);

/**
 * Units that were used and that the price does not name, in the order of the usage event; reasoning is part of output.
 * None where the price is by the request alone: that is the price of whatever a request uses.
 */
export function unpricedUnits(units: Units, price: Price): readonly UnitName[] {
  if (price.size === 1 && price.has("requests")) return [];
  return unitNames.filter(
    (unit) => (units[unit] ?? 0) > 0 && !price.has(unit) && unit !== "reasoningTokens" && unit !== "requests",
  );
}

/** An amount in millionths, exact for whole numbers of any size and rounded for fractions of seconds. */
function wholeMicros(amount: number): bigint {
  if (!(amount >= 0) || amount === Infinity) throw new RangeError(`not an amount of units: ${amount}`);
  if (Number.isInteger(amount)) return BigInt(amount) * 1_000_000n;
  const whole = Math.trunc(amount);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((amount - whole) * 1_000_000));
}
