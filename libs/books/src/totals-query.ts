import type { UsageEvent } from "@modelgate/contracts";
import { isLabelName, labelsOf, type LabelName } from "./labels.ts";
import type { CallFilter } from "./read-calls.ts";
import type { SumColumn } from "./sums.ts";

/** What every call can be grouped by. */
export const totalsDimensions = ["account", "token", "model", "channel", "outcome", "day", "hour"] as const;
/** What totals can be grouped by: also the end user and tags, which are empty for calls that name none. */
export type TotalsDimension = (typeof totalsDimensions)[number] | LabelName;

/** Which totals are asked for. */
export interface TotalsQuery extends CallFilter {
  readonly groupBy: readonly TotalsDimension[];
  /** Which sums; absent: all. The calls are always counted. Two of twenty are read in half the time. */
  readonly sums?: readonly SumColumn[] | undefined;
}

/** One row of totals: the dimensions asked for, and sums as decimal strings; units that do not occur are left out. */
export interface UsageTotal {
  readonly by: Readonly<Partial<Record<TotalsDimension, string>>>;
  readonly sums: Readonly<Record<string, string>>;
}

/** Whether totals can be grouped by a word. */
export function isTotalsDimension(word: string): word is TotalsDimension {
  return totalsDimensions.some((name) => name === word) || isLabelName(word);
}

/** The value that a call has in a dimension, as it is shown. */
export function valueIn(event: UsageEvent, dimension: TotalsDimension): string {
  if (isLabelName(dimension)) return labelsOf(event).find(({ name }) => name === dimension)?.value ?? "";
  return values[dimension](event);
}

const values: Readonly<Record<(typeof totalsDimensions)[number], (event: UsageEvent) => string>> = {
  account: ({ accountId }) => accountId,
  token: ({ tokenId }) => tokenId,
  model: ({ model }) => model,
  channel: ({ channelId }) => channelId,
  outcome: ({ outcome }) => outcome,
  day: ({ time }) => shownPeriod("day", Date.parse(time)),
  hour: ({ time }) => shownPeriod("hour", Date.parse(time)),
};

/** A time as the day or hour that it is in: `2026-01-31`, `2026-01-31T10:00:00.000Z`. */
export function shownPeriod(dimension: "day" | "hour", at: number): string {
  const time = new Date(at).toISOString();
  return dimension === "day" ? time.slice(0, 10) : `${time.slice(0, 13)}:00:00.000Z`;
}
