import { totalInputTokens, toolUnits, unitNames, type UnitName, type Units } from "../units.ts";
import { parseDecimal, toScale } from "./decimal.ts";
import type { Nanos } from "./nanos.ts";

/** Fields of a price, for `per` units each. A missing field is replaced by the first present field of `as`. */
export const priceFields = {
  input: { unit: "inputTokens", per: 1_000_000 },
  cachedInput: { unit: "cachedInputTokens", per: 1_000_000, as: ["input"] },
  cacheWrite: { unit: "cacheWriteTokens", per: 1_000_000, as: ["input"] },
  cacheWrite1h: { unit: "cacheWrite1hTokens", per: 1_000_000, as: ["cacheWrite", "input"] },
  output: { unit: "outputTokens", per: 1_000_000 },
  inputAudio: { unit: "inputAudioTokens", per: 1_000_000, as: ["input"] },
  outputAudio: { unit: "outputAudioTokens", per: 1_000_000, as: ["output"] },
  inputImage: { unit: "inputImageTokens", per: 1_000_000, as: ["input"] },
  outputImage: { unit: "outputImageTokens", per: 1_000_000, as: ["output"] },
  request: { unit: "requests", per: 1 },
  image: { unit: "images", per: 1 },
  second: { unit: "seconds", per: 1 },
  character: { unit: "characters", per: 1 },
} as const satisfies Record<string, { unit: UnitName; per: 1 | 1_000_000; as?: readonly string[] }>;
export type PriceField = keyof typeof priceFields;
const priceFieldNames = Object.keys(priceFields).filter((field): field is PriceField => field in priceFields);

/** Returns the unit of a price in words: "million tokens", or one unit such as "image". */
export function priceUnitText(field: PriceField): string {
  const { unit, per } = priceFields[field];
  return per === 1 ? unit.replace(/s$/, "") : "million tokens";
}

/** Unit of each price in words. */
export const priceUnits: Readonly<Record<string, string>> = Object.fromEntries(
  priceFieldNames.map((field) => [field, priceUnitText(field)]),
);

/** Price fields of vendor-side tools, per call. */
export const toolPriceFields = {
  webSearch: "webSearches",
  codeInterpreter: "codeInterpreters",
  fileSearch: "fileSearches",
  imageGeneration: "imageGenerations",
} as const satisfies Record<string, UnitName>;
export type ToolPriceField = keyof typeof toolPriceFields;
const toolPriceNames = Object.keys(toolPriceFields).filter(
  (field): field is ToolPriceField => field in toolPriceFields,
);

/** Price fields that can depend on the length of a call's input. */
export const lengthFields = [
  "input",
  "cachedInput",
  "cacheWrite",
  "cacheWrite1h",
  "output",
  "inputAudio",
  "outputAudio",
  "inputImage",
  "outputImage",
] as const satisfies readonly PriceField[];

type Dollars = number | undefined;

/** Prices in US dollars as in the configuration, per million tokens or per unit. */
export type ConfiguredPrice = { readonly [field in PriceField]?: Dollars } & {
  /** Prices of calls with more than `above` input tokens. Missing fields have their default price. */
  readonly tiers?:
    | readonly ({ readonly above: number } & { readonly [field in (typeof lengthFields)[number]]?: Dollars })[]
    | undefined;
  /** Factors by which a vendor's service tiers multiply the price. */
  readonly serviceTiers?: Readonly<Record<string, number>> | undefined;
  readonly tools?: { readonly [field in ToolPriceField]?: Dollars } | undefined;
};

/** Compiled prices, in atto-dollars (10^-18) per unit, so that every price in the configuration is an integer. */
export interface Price extends ReadonlyMap<UnitName, bigint> {
  /** Prices of calls with more than `above` input tokens, in ascending order of `above`. */
  readonly lengths: readonly { readonly above: number; readonly price: Price }[];
  /** Price at each service tier that has a factor. */
  readonly serviceTiers: ReadonlyMap<string, Price>;
  /** Factor of this price's service tier, in billionths. It does not apply to tools. */
  readonly factor: bigint;
  /** True if only requests and vendor-side tools have a price, so that tokens cost nothing. */
  readonly isByRequest: boolean;
}

/** Maximum decimal places of a price per million tokens, so that one token costs whole atto-dollars. */
export const priceDecimals = 12;
/** Maximum decimal places of a group's multiplier and of a service tier's factor. */
export const multiplierDecimals = 9;
/** Decimal places to which a fractional unit (seconds) is counted. */
export const unitDecimals = 6;

const defaultFactor = 10n ** BigInt(multiplierDecimals);

class CompiledPrice extends Map<UnitName, bigint> implements Price {
  readonly lengths: Price["lengths"];
  readonly serviceTiers: ReadonlyMap<string, Price>;
  readonly factor: bigint;
  readonly isByRequest: boolean;

  constructor(
    units: ReadonlyMap<UnitName, bigint>,
    {
      lengths = [],
      serviceTiers = new Map(),
      factor = defaultFactor,
    }: Partial<Omit<Price, keyof Map<never, never>>> = {},
  ) {
    super(units);
    this.lengths = lengths;
    this.serviceTiers = serviceTiers;
    this.factor = factor;
    this.isByRequest =
      units.has("requests") && [...units.keys()].every((unit) => unit === "requests" || isToolUnit(unit));
  }
}

/** Compiles a price of the configuration. Throws RangeError for too many decimal places. */
export function compilePrice({ tiers = [], serviceTiers = {}, ...usual }: ConfiguredPrice): Price {
  const units = compileUnits(usual);
  const lengths = tiers
    .map(({ above, ...other }) => ({ above, units: compileUnits({ ...usual, ...other }) }))
    .toSorted((left, right) => left.above - right.above);
  const compileAt = (factor: bigint, serviceTierPrices: ReadonlyMap<string, Price>): Price =>
    new CompiledPrice(units, {
      lengths: lengths.map((each) => ({ above: each.above, price: new CompiledPrice(each.units, { factor }) })),
      serviceTiers: serviceTierPrices,
      factor,
    });
  const serviceTierPrices = new Map<string, Price>();
  for (const [name, factor] of Object.entries(serviceTiers))
    serviceTierPrices.set(name, compileAt(toScale(parseDecimal(factor), multiplierDecimals), serviceTierPrices));
  return compileAt(defaultFactor, serviceTierPrices);
}

function compileUnits({
  tools = {},
  ...fields
}: Omit<ConfiguredPrice, "tiers" | "serviceTiers">): Map<UnitName, bigint> {
  const units = new Map<UnitName, bigint>();
  const set = (unit: UnitName, dollars: Dollars, per: 1 | 1_000_000): void => {
    if (dollars !== undefined)
      units.set(unit, toScale(parseDecimal(dollars), priceDecimals) * (per === 1 ? 1_000_000n : 1n));
  };
  for (const field of priceFieldNames) {
    const { unit, per } = priceFields[field];
    set(unit, fields[field] ?? substitutePrice(field, fields), per);
  }
  for (const field of toolPriceNames) set(toolPriceFields[field], tools[field], 1);
  return units;
}

function substitutePrice(field: PriceField, fields: ConfiguredPrice): Dollars {
  const priced = priceFields[field];
  if (!("as" in priced)) return undefined;
  return priced.as.map((other) => fields[other]).find((dollars) => dollars !== undefined);
}

/** Returns the cost of a call, rounded half up once at the end. A unit without a price costs nothing. */
export function costOf(units: Units, price: Price, multiplier: number): Nanos {
  const unitPrices = scaledPrices(priceForInput(units, price), multiplier);
  let scaled = 0n;
  // Iterating over the price would allocate a pair for each entry.
  for (const unit of unitNames) {
    const amount = units[unit];
    const unitPrice = amount === undefined ? undefined : unitPrices.get(unit);
    if (amount === undefined || unitPrice === undefined) continue;
    scaled +=
      amount >= 0 && Number.isInteger(amount)
        ? BigInt(amount) * unitPrice
        : (toMicros(amount) * unitPrice) / microsPerUnit;
  }
  return (scaled + halfDivisor) / costDivisor;
}

/** Prices that are already multiplied by a group's multiplier and all factors. */
const scaledPriceCache = new WeakMap<Price, Map<number, ReadonlyMap<UnitName, bigint>>>();

function scaledPrices(price: Price, multiplier: number): ReadonlyMap<UnitName, bigint> {
  const cached = scaledPriceCache.get(price)?.get(multiplier);
  if (cached !== undefined) return cached;
  const factor = scaledMultiplier(multiplier) * microsPerUnit;
  const units = new Map<UnitName, bigint>();
  for (const [unit, each] of price)
    if (each !== 0n) units.set(unit, each * (isToolUnit(unit) ? defaultFactor : price.factor) * factor);
  const all = scaledPriceCache.get(price) ?? new Map<number, ReadonlyMap<UnitName, bigint>>();
  if (all.size < maxMultipliers) scaledPriceCache.set(price, all.set(multiplier, units));
  return units;
}

/** Multipliers in billionths. Calls use few different multipliers, each many times. */
const multiplierCache = new Map<number, bigint>();
const maxMultipliers = 1_000;

function scaledMultiplier(multiplier: number): bigint {
  const cached = multiplierCache.get(multiplier);
  if (cached !== undefined) return cached;
  const scaled = toScale(parseDecimal(multiplier), multiplierDecimals);
  if (multiplierCache.size < maxMultipliers) multiplierCache.set(multiplier, scaled);
  return scaled;
}

/** Returns the price that applies to the length of a call's input. */
export function priceForInput(units: Units, price: Price): Price {
  if (price.lengths.length === 0) return price;
  const input = totalInputTokens(units);
  return price.lengths.findLast(({ above }) => input > above)?.price ?? price;
}

/** Divisor that converts a sum of (millionths of units × atto-dollars × factor × multiplier) to nano-dollars. */
const costDivisor = 10n ** BigInt(9 + unitDecimals + 2 * multiplierDecimals);
const halfDivisor = costDivisor / 2n;
const microsPerUnit = 10n ** BigInt(unitDecimals);

/** Returns all prices that may apply to a call with at most this many input tokens. */
export function pricesUpTo(price: Price, inputTokens: number): readonly Price[] {
  if (price.lengths.length === 0) return [price];
  const base = new CompiledPrice(price, { factor: price.factor });
  return [base, ...price.lengths.filter(({ above }) => inputTokens > above).map((each) => each.price)];
}

/** Returns the maximum cost of a call. A shorter input may have a higher price, so all prices are compared. */
export function maxCostOf(units: Units, price: Price, multiplier: number): Nanos {
  return pricesUpTo(price, totalInputTokens(units))
    .map((each) => costOf(units, each, multiplier))
    .reduce((max, cost) => (cost > max ? cost : max));
}

/** Returns the price of one unit in US dollars, times the multiplier, for short inputs at the default tier. */
export function unitPriceText(price: Price, unit: UnitName, multiplier: number): string {
  const digits = (price.get(unit) ?? 0n) * scaledMultiplier(multiplier);
  const text = String(digits).padStart(1 + 18 + multiplierDecimals, "0");
  const integerDigits = text.length - 18 - multiplierDecimals;
  return `${text.slice(0, integerDigits)}.${text.slice(integerDigits)}`.replace(/\.?0+$/, "");
}

const toolUnitNames: ReadonlySet<UnitName> = new Set(toolUnits);

/** Returns true if a unit counts calls of a vendor-side tool, which cost the same at every service tier. */
export function isToolUnit(unit: UnitName): boolean {
  return toolUnitNames.has(unit);
}

/**
 * Returns the used units that have no price. A price that has only requests and vendor-side tools covers all other
 * units.
 */
export function unpricedUnits(units: Units, price: Price): readonly UnitName[] {
  const unpriced: UnitName[] = [];
  for (const unit of unitNames) {
    if ((units[unit] ?? 0) <= 0 || price.has(unit) || unit === "reasoningTokens" || unit === "requests") continue;
    if (!price.isByRequest || isToolUnit(unit)) unpriced.push(unit);
  }
  return unpriced;
}

/** Converts an amount to millionths. Throws RangeError for a negative or infinite amount. */
export function toMicros(amount: number): bigint {
  if (!(amount >= 0) || amount === Infinity) throw new RangeError(`not an amount of units: ${amount}`);
  if (Number.isInteger(amount)) return BigInt(amount) * 1_000_000n;
  const integerPart = Math.trunc(amount);
  return BigInt(integerPart) * 1_000_000n + BigInt(Math.round((amount - integerPart) * 1_000_000));
}
