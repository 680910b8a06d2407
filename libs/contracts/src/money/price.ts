import { inputTotal, toolUnits, unitNames, type UnitName, type Units } from "../units.ts";
import { parseDecimal, toScale } from "./decimal.ts";
import type { Nanos } from "./nanos.ts";

/**
 * For each price in the configuration: the unit it prices, and the number of units that the written price is for. A
 * unit without a price costs as much as the first unit of `as` that has one, because a vendor without a separate price
 * counts such tokens as that unit.
 */
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

/** Prices of vendor-side tools, each per call, and the units that they price. */
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

/** Members of a price that can depend on the length of a call's input. */
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

/** US dollars as the configuration writes them, per million tokens or per piece. */
export type WrittenPrice = { readonly [field in PriceField]?: Dollars } & {
  /** Prices of calls whose input is longer than `above` tokens; absent members do not change. */
  readonly tiers?:
    | readonly ({ readonly above: number } & { readonly [field in (typeof lengthFields)[number]]?: Dollars })[]
    | undefined;
  /** Factors of a vendor's service tiers. */
  readonly serviceTiers?: Readonly<Record<string, number>> | undefined;
  /** Price per call of each vendor-side tool. */
  readonly tools?: { readonly [field in ToolPriceField]?: Dollars } | undefined;
};

/** Prices in atto-dollars (10^-18) per unit, so that every written price is an integer. */
export interface Price extends ReadonlyMap<UnitName, bigint> {
  /** Prices of calls with more than `above` input tokens, ordered by `above`. */
  readonly lengths: readonly { readonly above: number; readonly price: Price }[];
  /** The price at each service tier that has a factor. */
  readonly serviceTiers: ReadonlyMap<string, Price>;
  /** Factor of the price's service tier, in billionths; it does not apply to tools. */
  readonly factor: bigint;
  /** True if only requests (and vendor-side tools) have a price; tokens then cost nothing. */
  readonly isByRequest: boolean;
}

/**
 * Maximum decimal places of a written price: with twelve per million tokens, a token's price is a multiple of 10^-18
 * dollars.
 */
export const priceDecimals = 12;
/** Maximum decimal places of a group's multiplier, and of a service tier's factor. */
export const multiplierDecimals = 9;
/** Decimal places of a second that count if seconds are priced. */
export const unitDecimals = 6;

const usualFactor = 10n ** BigInt(multiplierDecimals);

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
      factor = usualFactor,
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

/** Compiles a written price for `costOf`. Throws RangeError for more decimal places than `priceDecimals`. */
export function compilePrice({ tiers = [], serviceTiers = {}, ...usual }: WrittenPrice): Price {
  const units = compileUnits(usual);
  const lengths = tiers
    .map(({ above, ...other }) => ({ above, units: compileUnits({ ...usual, ...other }) }))
    .toSorted((left, right) => left.above - right.above);
  const at = (factor: bigint, known: ReadonlyMap<string, Price>): Price =>
    new CompiledPrice(units, {
      lengths: lengths.map((each) => ({ above: each.above, price: new CompiledPrice(each.units, { factor }) })),
      serviceTiers: known,
      factor,
    });
  const known = new Map<string, Price>();
  for (const [name, factor] of Object.entries(serviceTiers))
    known.set(name, at(toScale(parseDecimal(factor), multiplierDecimals), known));
  return at(usualFactor, known);
}

function compileUnits({ tools = {}, ...written }: Omit<WrittenPrice, "tiers" | "serviceTiers">): Map<UnitName, bigint> {
  const units = new Map<UnitName, bigint>();
  const set = (unit: UnitName, dollars: Dollars, per: 1 | 1_000_000): void => {
    if (dollars !== undefined)
      units.set(unit, toScale(parseDecimal(dollars), priceDecimals) * (per === 1 ? 1_000_000n : 1n));
  };
  for (const field of priceFieldNames) {
    const { unit, per } = priceFields[field];
    set(unit, written[field] ?? nearestPrice(field, written), per);
  }
  for (const field of toolPriceNames) set(toolPriceFields[field], tools[field], 1);
  return units;
}

function nearestPrice(field: PriceField, written: WrittenPrice): Dollars {
  const priced = priceFields[field];
  if (!("as" in priced)) return undefined;
  return priced.as.map((other) => written[other]).find((dollars) => dollars !== undefined);
}

/**
 * Returns the cost of units: the sum of units × price for the length of the call's input, times the factor of the
 * service tier and the group's multiplier, rounded half up once at the end. A unit without a price costs nothing
 * (`unpricedUnits` lists those). Never negative for non-negative units.
 */
export function costOf(units: Units, price: Price, multiplier: number): Nanos {
  const each = scaledPrices(applyingPrice(units, price), multiplier);
  let scaled = 0n;
  // Loops over the units' names, because an iteration over the price would allocate a pair for each entry.
  for (const unit of unitNames) {
    const amount = units[unit];
    const cost = amount === undefined ? undefined : each.get(unit);
    if (amount === undefined || cost === undefined) continue;
    scaled += amount >= 0 && Number.isInteger(amount) ? BigInt(amount) * cost : (wholeMicros(amount) * cost) / micros;
  }
  return (scaled + halfDivisor) / divisor;
}

/** Prices multiplied by multipliers and all their factors; computed once for each price of a configuration. */
const scaled = new WeakMap<Price, Map<number, ReadonlyMap<UnitName, bigint>>>();

function scaledPrices(price: Price, multiplier: number): ReadonlyMap<UnitName, bigint> {
  const known = scaled.get(price)?.get(multiplier);
  if (known !== undefined) return known;
  const factor = scaledMultiplier(multiplier) * micros;
  const units = new Map<UnitName, bigint>();
  for (const [unit, each] of price)
    if (each !== 0n) units.set(unit, each * (isToolUnit(unit) ? usualFactor : price.factor) * factor);
  const all = scaled.get(price) ?? new Map<number, ReadonlyMap<UnitName, bigint>>();
  if (all.size < maxMultipliers) scaled.set(price, all.set(multiplier, units));
  return units;
}

/** Parsed multipliers: each call uses one of a few, several times. */
const multipliers = new Map<number, bigint>();
const maxMultipliers = 1_000;

/** Returns a group's multiplier in billionths. */
function scaledMultiplier(multiplier: number): bigint {
  const known = multipliers.get(multiplier);
  if (known !== undefined) return known;
  const scaled = toScale(parseDecimal(multiplier), multiplierDecimals);
  if (multipliers.size < maxMultipliers) multipliers.set(multiplier, scaled);
  return scaled;
}

/** Returns the price for the length of a call's input. */
export function applyingPrice(units: Units, price: Price): Price {
  if (price.lengths.length === 0) return price;
  const input = inputTotal(units);
  return price.lengths.findLast(({ above }) => input > above)?.price ?? price;
}

/** Divisor from millionths of units × atto-dollars × the scales of factor and multiplier to nano-dollars. */
const divisor = 10n ** BigInt(9 + unitDecimals + 2 * multiplierDecimals);
const halfDivisor = divisor / 2n;
const micros = 10n ** BigInt(unitDecimals);

/** Returns the prices that apply to calls of at most this many input tokens, without their own prices by length. */
export function pricesUpTo(price: Price, inputTokens: number): readonly Price[] {
  if (price.lengths.length === 0) return [price];
  const usual = new CompiledPrice(price, { factor: price.factor });
  return [usual, ...price.lengths.filter(({ above }) => inputTokens > above).map((each) => each.price)];
}

/** Returns the maximum cost of a call that uses at most these units: shorter input may be more expensive. */
export function maxCostOf(units: Units, price: Price, multiplier: number): Nanos {
  return pricesUpTo(price, inputTotal(units))
    .map((each) => costOf(units, each, multiplier))
    .reduce((most, cost) => (cost > most ? cost : most));
}

/** Returns the price of one unit at the default length and tier, in US dollars as decimal text. */
export function unitPriceText(price: Price, unit: UnitName, multiplier: number): string {
  const digits = (price.get(unit) ?? 0n) * scaledMultiplier(multiplier);
  const text = String(digits).padStart(1 + 18 + multiplierDecimals, "0");
  const whole = text.length - 18 - multiplierDecimals;
  return `${text.slice(0, whole)}.${text.slice(whole)}`.replace(/\.?0+$/, "");
}

const tools: ReadonlySet<UnitName> = new Set(toolUnits);

/** Returns whether a unit is a call of a vendor-side tool, which costs the same at every service tier. */
export function isToolUnit(unit: UnitName): boolean {
  return tools.has(unit);
}

/**
 * Returns the used units that have no price, in the order of the usage event; reasoning is part of output. If the price
 * is per request only, it covers all tokens; tools are still listed.
 */
export function unpricedUnits(units: Units, price: Price): readonly UnitName[] {
  const unpriced: UnitName[] = [];
  for (const unit of unitNames) {
    if ((units[unit] ?? 0) <= 0 || price.has(unit) || unit === "reasoningTokens" || unit === "requests") continue;
    if (!price.isByRequest || isToolUnit(unit)) unpriced.push(unit);
  }
  return unpriced;
}

/** Returns an amount in millionths, exact for integers of any size and rounded for fractions of seconds. */
export function wholeMicros(amount: number): bigint {
  if (!(amount >= 0) || amount === Infinity) throw new RangeError(`not an amount of units: ${amount}`);
  if (Number.isInteger(amount)) return BigInt(amount) * 1_000_000n;
  const whole = Math.trunc(amount);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((amount - whole) * 1_000_000));
}
