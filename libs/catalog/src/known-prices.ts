import { calcPrice, type ModelPrice, type TieredPrices } from "@pydantic/genai-prices";
import type { PriceConfiguration, PriceField, ToolPriceField } from "@modelgate/contracts";

/** Source of known prices: a package in the release, and the day of its data. */
export const priceCatalogue = { name: "@pydantic/genai-prices", version: "0.1.8", day: "2026-09-23" } as const;

/** Known price of a vendor's model. */
export interface KnownPrice {
  readonly price: PriceConfiguration;
  /** Name of the model's entry in the package, such as `groq/openai/gpt-oss-20b`. */
  readonly entry: string;
  readonly contextTokens?: number | undefined;
}

const perMillion = {
  input_mtok: "input",
  cache_read_mtok: "cachedInput",
  cache_write_mtok: "cacheWrite",
  cache_write_1h_mtok: "cacheWrite1h",
  output_mtok: "output",
  input_audio_mtok: "inputAudio",
  output_audio_mtok: "outputAudio",
  input_image_mtok: "inputImage",
  output_image_mtok: "outputImage",
} as const satisfies Record<string, PriceField>;
/**
 * Prices of writes to a cache that keeps them for hours, as factors of the input price. The package leaves them out for
 * most models. Anthropic's time is one hour, OpenAI's is twelve.
 */
const longCacheFactors: readonly (readonly [model: RegExp, factor: number])[] = [
  [/claude/, 2],
  [/gpt-/, 2.5],
];
const toolsPerThousand = {
  web_searches_kcount: "webSearch",
  storage_searches_kcount: "fileSearch",
} as const satisfies Record<string, ToolPriceField>;

/**
 * Number of hours whose prices are compared. A vendor may charge less at some hours, so the highest price of the day is
 * used.
 */
const hoursOfDay = 24;
const hourMs = 3_600_000;
const secondsPerHour = 3_600;
/** A price in the configuration has at most twelve decimal places. */
const stepsPerDollar = 1e12;

/** Finds the price of a vendor's model in the 24 hours from `nowMs`. `vendor` is the vendor's name in the package. */
export function knownPrice(vendor: string, model: string, nowMs: number): KnownPrice | undefined {
  const pricesByHour = Array.from({ length: hoursOfDay }, (_, hour) =>
    calcPrice({}, model, { providerId: vendor, timestamp: new Date(nowMs + hour * hourMs) }),
  ).filter((modelPrice) => modelPrice !== null);
  const [first] = pricesByHour;
  if (first === undefined) return undefined;
  const all = Array.isArray(first.model.prices) ? pricesByHour : [first];
  const [price] = all
    .map(({ model_price: modelPrice }) => toConfiguredPrice(withLongCache(modelPrice, first.model.id)))
    .toSorted((left, right) => comparablePrice(right) - comparablePrice(left));
  if (price === undefined || Object.keys(price).length === 0) return undefined;
  const { provider, model: entry } = first;
  return { price, entry: `${provider.id}/${entry.id}`, contextTokens: entry.context_window };
}

/** Adds the price of long cache writes to a price that has only the one of short cache writes. */
function withLongCache(modelPrice: ModelPrice, model: string): ModelPrice {
  const factor = longCacheFactors.find(([pattern]) => pattern.test(model))?.[1];
  const { input_mtok: input, cache_write_mtok: short, cache_write_1h_mtok: long } = modelPrice;
  if (factor === undefined || input === undefined || short === undefined || long !== undefined) return modelPrice;
  const times = (price: number): number => Number((price * factor).toPrecision(15));
  const tiered = (prices: TieredPrices): TieredPrices => ({
    base: times(prices.base),
    tiers: prices.tiers.map(({ start, price }) => ({ start, price: times(price) })),
  });
  return { ...modelPrice, cache_write_1h_mtok: typeof input === "number" ? times(input) : tiered(input) };
}

/**
 * Returns a number for comparing prices: the price of three million input tokens, a million output tokens, a request
 * and a second.
 */
export function comparablePrice({ input = 0, output = 0, request = 0, second = 0 }: PriceConfiguration): number {
  return 3 * input + output + request + second;
}

/** Converts a price of the package. Leaves out prices in units that the gateway does not bill. */
function toConfiguredPrice(modelPrice: ModelPrice): PriceConfiguration {
  const bases = Object.entries(perMillion).flatMap(([key, field]) => {
    const value = modelPrice[key];
    return value === undefined ? [] : [[field, typeof value === "number" ? value : value.base] as const];
  });
  const tools = Object.entries(toolsPerThousand).flatMap(([key, field]) => {
    const value = modelPrice[key];
    return typeof value === "number" ? [[field, dividedPrice(value, 1_000)] as const] : [];
  });
  const { requests_kcount: requests, input_audio_hours: hours = modelPrice["audio_hours"] } = modelPrice;
  const tiers = tiersOf(modelPrice);
  return {
    ...Object.fromEntries(bases),
    ...(typeof requests === "number" ? { request: dividedPrice(requests, 1_000) } : {}),
    ...(typeof hours === "number" ? { second: dividedPrice(hours, secondsPerHour) } : {}),
    ...(tiers.length > 0 ? { tiers } : {}),
    ...(tools.length > 0 ? { tools: Object.fromEntries(tools) } : {}),
  };
}

function dividedPrice(dollars: number, per: number): number {
  const exact = Number((dollars / per).toPrecision(15));
  return Math.ceil(Number((exact * stepsPerDollar).toPrecision(15))) / stepsPerDollar;
}

function tiersOf(modelPrice: ModelPrice): NonNullable<PriceConfiguration["tiers"]> {
  const tiered = Object.entries(perMillion).flatMap(([key, field]) => {
    const value = modelPrice[key];
    return typeof value === "object" ? [{ field, steps: value.tiers }] : [];
  });
  const starts = [...new Set(tiered.flatMap(({ steps }) => steps.map(({ start }) => start)))].toSorted((a, b) => a - b);
  return starts.map((above) => ({
    above,
    ...Object.fromEntries(
      tiered.flatMap(({ field, steps }) => {
        const step = steps.findLast(({ start }) => start <= above);
        return step === undefined ? [] : [[field, step.price] as const];
      }),
    ),
  }));
}
