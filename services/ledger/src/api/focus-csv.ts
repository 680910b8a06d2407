import type { UsageTotal } from "@modelgate/books";
import { formatUsd, parseNanos } from "@modelgate/contracts";
import { csvLine } from "./calls-csv.ts";
import { monthOf, type Period } from "./period.ts";

/** Dimensions of a row. */
export const focusDimensions = ["account", "team", "day", "token", "model", "channel", "labels"] as const;

/** Sums of a row. */
export const focusSums = [
  "calls",
  "cost",
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "outputTokens",
] as const;

/** Charges of one day with the same account, team, API key, model, channel and tags. */
interface FocusRow {
  readonly by: UsageTotal["by"];
  readonly sums: Readonly<Record<string, string>>;
  readonly cost: string;
  readonly tags: string | undefined;
  readonly charged: Period;
}

const issuer = "modelgate";

/**
 * Columns of FOCUS 1.2 (https://focus.finops.org/focus-specification/v1-2/). Custom columns begin with `x_`. There are
 * no unit prices, because the books have only the cost of a complete call.
 */
const columns: Readonly<Record<string, (row: FocusRow) => string | undefined>> = {
  BilledCost: ({ cost }) => cost,
  BillingAccountId: ({ by }) => by["account"],
  BillingAccountName: () => undefined,
  BillingCurrency: () => "USD",
  BillingPeriodEnd: ({ charged }) => timeOf(monthOf(charged.from, 1)),
  BillingPeriodStart: ({ charged }) => timeOf(monthOf(charged.from, 0)),
  ChargeCategory: () => "Usage",
  ChargeClass: () => undefined,
  ChargeDescription: ({ by }) => `Calls of ${by["model"]}`,
  ChargeFrequency: () => "Usage-Based",
  ChargePeriodEnd: ({ charged }) => timeOf(charged.to),
  ChargePeriodStart: ({ charged }) => timeOf(charged.from),
  ConsumedQuantity: ({ sums }) => sums["calls"],
  ConsumedUnit: () => "Requests",
  ContractedCost: ({ cost }) => cost,
  EffectiveCost: ({ cost }) => cost,
  InvoiceIssuerName: () => issuer,
  ListCost: ({ cost }) => cost,
  PricingCategory: () => "Standard",
  PricingQuantity: ({ sums }) => sums["calls"],
  PricingUnit: () => "Requests",
  ProviderName: () => issuer,
  PublisherName: () => issuer,
  ServiceCategory: () => "AI and Machine Learning",
  ServiceName: () => "Model API",
  ServiceSubcategory: () => "Generative AI",
  SkuId: ({ by }) => by["model"],
  SkuMeter: () => "API Requests",
  SubAccountId: ({ by }) => by["token"],
  SubAccountType: () => "API key",
  Tags: ({ tags }) => tags,
  x_Team: ({ by }) => by["team"],
  x_Channel: ({ by }) => by["channel"],
  x_InputTokens: ({ sums }) => sums["inputTokens"] ?? "0",
  x_CachedInputTokens: ({ sums }) => sums["cachedInputTokens"] ?? "0",
  x_CacheWriteTokens: ({ sums }) => sums["cacheWriteTokens"] ?? "0",
  x_OutputTokens: ({ sums }) => sums["outputTokens"] ?? "0",
};

/** Heading row of the FOCUS export. */
export const focusHeader = csvLine(Object.keys(columns));

/** Renders the totals of at most one day as rows. Totals that differ only in the end user become one row. */
export function focusRows(totals: readonly UsageTotal[], charged: Period): string {
  const rows = new Map<string, { by: UsageTotal["by"]; sums: Record<string, string>; tags: string | undefined }>();
  for (const { by, sums } of totals) {
    const tags = tagsOfLabels(by["labels"] ?? "");
    const key = JSON.stringify([by["account"], by["team"], by["token"], by["model"], by["channel"], tags]);
    const row = rows.get(key);
    if (row === undefined) {
      rows.set(key, { by, sums: { ...sums }, tags });
      continue;
    }
    for (const [name, sum] of Object.entries(sums))
      row.sums[name] = (BigInt(row.sums[name] ?? 0) + BigInt(sum)).toString();
  }
  return [...rows.values()]
    .map((row) => {
      const formatted: FocusRow = { ...row, cost: formatUsd(parseNanos(row.sums["costNanos"] ?? "0")), charged };
      return csvLine(Object.values(columns).map((cell) => cell(formatted)));
    })
    .join("");
}

/** Returns the tags among labels as JSON, or undefined. */
function tagsOfLabels(labels: string): string | undefined {
  if (labels === "") return undefined;
  const parsed: unknown = JSON.parse(labels);
  const tags = Object.entries(parsed ?? {}).flatMap(([name, value]) =>
    name.startsWith("tag:") ? [[name.slice("tag:".length), String(value)] as const] : [],
  );
  return tags.length === 0 ? undefined : JSON.stringify(Object.fromEntries(tags));
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/, "Z");
}
