import { totalsDimensions, type UsageEvent } from "@modelgate/contracts";
import { isLabelName, labelsOf, labelsText, type LabelName } from "./labels.ts";
import type { CallFilter } from "./read-calls.ts";
import type { SumColumn } from "./sums.ts";

/** Dimensions of totals. The value of `labels` is a JSON object of all labels of a call. */
export type TotalsDimension = (typeof totalsDimensions)[number] | LabelName | "labels";

/** Filter and grouping of totals. */
export interface TotalsQuery extends CallFilter {
  readonly groupBy: readonly TotalsDimension[];
  /** Sums to read; absent: all. Reading few of them takes half the time. */
  readonly sums?: readonly SumColumn[] | undefined;
  /** Maximum number of groups; absent: any. A query with more groups throws Failure. */
  readonly maxGroups?: number;
}

/** Sums of one group as decimal text. Sums of units that are 0 are omitted. */
export interface UsageTotal {
  readonly by: Readonly<Partial<Record<TotalsDimension, string>>>;
  readonly sums: Readonly<Record<string, string>>;
}

/** Returns whether a text is a dimension that an operator can name. */
export function isTotalsDimension(word: string): word is Exclude<TotalsDimension, "labels"> {
  return totalsDimensions.some((name) => name === word) || isLabelName(word);
}

/** Returns whether a dimension is computed from the labels of calls. */
export function isLabelDimension(dimension: TotalsDimension): dimension is LabelName | "labels" {
  return dimension === "labels" || isLabelName(dimension);
}

/** Returns the value of a call in a dimension. */
export function dimensionValue(event: UsageEvent, dimension: TotalsDimension): string {
  if (dimension === "labels") {
    const labels = labelsOf(event);
    return labels.length === 0 ? "" : labelsText(labels);
  }
  if (isLabelName(dimension)) return labelsOf(event).find(({ name }) => name === dimension)?.value ?? "";
  return dimensionValues[dimension](event);
}

const dimensionValues: Readonly<Record<(typeof totalsDimensions)[number], (event: UsageEvent) => string>> = {
  account: ({ accountId }) => accountId,
  team: ({ team }) => team ?? "",
  token: ({ tokenId }) => tokenId,
  model: ({ model }) => model,
  channel: ({ channelId }) => channelId,
  outcome: ({ outcome }) => outcome,
  day: ({ time }) => renderPeriod("day", Date.parse(time)),
  hour: ({ time }) => renderPeriod("hour", Date.parse(time)),
};

/** Renders the beginning of a day or hour: `2026-01-31`, `2026-01-31T10:00:00.000Z`. */
export function renderPeriod(dimension: "day" | "hour", at: number): string {
  const time = new Date(at).toISOString();
  return dimension === "day" ? time.slice(0, 10) : `${time.slice(0, 13)}:00:00.000Z`;
}
