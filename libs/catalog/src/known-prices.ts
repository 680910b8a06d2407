import { calcPrice, type ModelPrice } from "@pydantic/genai-prices";
import type { PriceConfiguration, PriceField, ToolPriceField } from "@modelgate/contracts";

/** Source of known prices: a bundled package, with the date of its data. */
export const priceCatalogue = { name: "@pydantic/genai-prices", version: "0.1.8", day: "2026-09-23" } as const;

/** Known price of a vendor's model, from the bundled price catalogue. */
export interface KnownPrice {
  readonly price: PriceConfiguration;
  /** Name of the entry in the catalogue, for example `groq/openai/gpt-oss-20b`. */
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
const toolsPerThousand = {
  web_searches_kcount: "webSearch",
  storage_searches_kcount: "fileSearch",
} as const satisfies Record<string, ToolPriceField>;

/** A vendor may charge less at some hours: the highest price of a day is used. */
const hoursOfDay = 24;
const hourMs = 3_600_000;
const secondsPerHour = 3_600;
/** Precision of a written price: twelve decimal places of a dollar. */
const smallest = 1e12;

/**
 * Finds the price of a vendor (by its name in the catalogue) for a model on a day (Unix ms). Undefined if the catalogue
 * does not contain it, or has no price in one of our units. Reads bundled data only.
 */
export function knownPrice(vendor: string, model: string, nowMs: number): KnownPrice | undefined {
  const day = Array.from({ length: hoursOfDay }, (_, hour) =>
    calcPrice({}, model, { providerId: vendor, timestamp: new Date(nowMs + hour * hourMs) }),
  ).filter((found) => found !== null);
  const [first] = day;
  if (first === undefined) return undefined;
  const all = Array.isArray(first.model.prices) ? day : [first];
  const [price] = all
    .map(({ model_price: found }) => writtenFrom(found))
    .toSorted((left, right) => sumOf(right) - sumOf(left));
  if (price === undefined || Object.keys(price).length === 0) return undefined;
  const { provider, model: entry } = first;
  return { price, entry: `${provider.id}/${entry.id}`, contextTokens: entry.context_window };
}

/** Sum for comparing prices of hours, and of channels: a call of three parts input and one part output. */
export function sumOf({ input = 0, output = 0, request = 0, second = 0 }: PriceConfiguration): number {
  return 3 * input + output + request + second;
}

/** Converts the catalogue's price to a written price; prices in other units are left out. */
function writtenFrom(found: ModelPrice): PriceConfiguration {
  const bases = Object.entries(perMillion).flatMap(([key, field]) => {
    const value = found[key];
    return value === undefined ? [] : [[field, typeof value === "number" ? value : value.base] as const];
  });
  const tools = Object.entries(toolsPerThousand).flatMap(([key, field]) => {
    const value = found[key];
    return typeof value === "number" ? [[field, shifted(value, 1_000)] as const] : [];
  });
  const { requests_kcount: requests, input_audio_hours: hours = found["audio_hours"] } = found;
  const tiers = tiersOf(found);
  return {
    ...Object.fromEntries(bases),
    ...(typeof requests === "number" ? { request: shifted(requests, 1_000) } : {}),
    ...(typeof hours === "number" ? { second: shifted(hours, secondsPerHour) } : {}),
    ...(tiers.length > 0 ? { tiers } : {}),
    ...(tools.length > 0 ? { tools: Object.fromEntries(tools) } : {}),
  };
}

/** Returns a part of a price, rounded up to the precision of a written price. */
function shifted(dollars: number, per: number): number {
  const exact = Number((dollars / per).toPrecision(15));
  return Math.ceil(Number((exact * smallest).toPrecision(15))) / smallest;
}

/** Returns the prices for longer contexts: each length from which a price differs, with all prices that do. */
function tiersOf(found: ModelPrice): NonNullable<PriceConfiguration["tiers"]> {
  const tiered = Object.entries(perMillion).flatMap(([key, field]) => {
    const value = found[key];
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
