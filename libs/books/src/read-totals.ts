import { totalsPeriods } from "./add-totals.ts";
import { TotalsGroups } from "./groups.ts";
import { onlyTagOf, readTotalsTable, type TotalsName } from "./totals-table.ts";
import type { Books } from "./open.ts";
import { readCalls } from "./read-calls.ts";
import type { CallPosition } from "./read-positions.ts";
import { amountsOf, sumColumns } from "./sums.ts";
import { dimensionValue, isLabelDimension, type TotalsQuery, type UsageTotal } from "./totals-query.ts";

/** Number of calls per query. Other work runs between queries. */
const callsPerQuery = 1_000;

/**
 * Reads sums of usage by group. Complete days and hours come from tables of totals, other times from calls. Queries
 * that no table supports use only calls.
 */
export async function readTotals(books: Books, query: TotalsQuery): Promise<readonly UsageTotal[]> {
  const groups = new TotalsGroups(query);
  for (const part of splitByDays(query)) await addPart(books, part, groups);
  return groups.totals(query.sums ?? sumColumns);
}

/** Splits a query into complete days and the times around them. A query for hours, labels or calls is not split. */
function splitByDays(query: TotalsQuery): readonly TotalsQuery[] {
  const day = totalsPeriods.daily_totals;
  const [from, to] = [Math.ceil(query.from / day) * day, Math.floor(query.to / day) * day];
  if (from >= to || query.groupBy.includes("hour") || tableFor(query) !== "hourly_totals") return [query];
  const parts = [
    { ...query, to: from },
    { ...query, from, to },
    { ...query, from: to },
  ];
  return parts.filter((part) => part.from < part.to);
}

async function addPart(books: Books, query: TotalsQuery, groups: TotalsGroups): Promise<void> {
  const table = tableFor(query);
  const period = table === undefined ? 1 : totalsPeriods[table];
  const [from, to] = [Math.ceil(query.from / period) * period, Math.floor(query.to / period) * period];
  if (table === undefined || from >= to) return addCalls(books, query, groups);
  await addCalls(books, { ...query, to: from }, groups);
  if (table === "labelled_totals" || table === "daily_tag_totals")
    await addLabelled(books, table, { ...query, from, to }, groups);
  else
    for (const { by, amounts } of await readTotalsTable(books, table, { ...query, from, to })) groups.add(by, amounts);
  await addCalls(books, { ...query, from: to }, groups);
}

/** Returns the smallest table with the query's dimensions; undefined if only calls have them. */
function tableFor(query: TotalsQuery): TotalsName | undefined {
  const { from, to, groupBy, labels = [], status, requestId } = query;
  if (status !== undefined || requestId !== undefined) return undefined;
  const byHour = groupBy.includes("hour");
  if (labels.length > 0 || groupBy.some(isLabelDimension)) {
    if (byHour) return undefined;
    return onlyTagOf(query) === undefined ? "labelled_totals" : "daily_tag_totals";
  }
  const day = totalsPeriods.daily_totals;
  return from % day === 0 && to % day === 0 && !byHour ? "daily_totals" : "hourly_totals";
}

async function addCalls(books: Books, query: TotalsQuery, groups: TotalsGroups): Promise<void> {
  if (query.from >= query.to) return;
  for (let after: CallPosition | undefined; ;) {
    const { events, next } = await readCalls(books, query, { order: "oldest first", limit: callsPerQuery, after });
    for (const event of events)
      groups.add(
        query.groupBy.map((dimension) => dimensionValue(event, dimension)),
        amountsOf(event),
      );
    if (next === undefined) return;
    after = next;
  }
}

/** Adds totals by labels. Calls without labels form a group: all totals minus those with labels. */
async function addLabelled(
  books: Books,
  table: "labelled_totals" | "daily_tag_totals",
  query: TotalsQuery,
  groups: TotalsGroups,
): Promise<void> {
  const plain = query.groupBy.filter((dimension) => !isLabelDimension(dimension));
  const labelled = new Map<string, Map<string, bigint>>();
  for (const { by, amounts } of await readTotalsTable(books, table, query)) {
    groups.add(by, amounts);
    const key = by.filter((_, at) => !isLabelDimension(query.groupBy[at] ?? "labels")).join("\u001f");
    const sums = labelled.get(key) ?? new Map<string, bigint>();
    labelled.set(key, sums);
    for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0n) + amount);
  }
  if ((query.labels ?? []).length > 0) return;
  for (const { by, amounts } of await readTotalsTable(books, "daily_totals", { ...query, groupBy: plain })) {
    const row = labelled.get(by.join("\u001f"));
    const values = [...by];
    groups.add(
      query.groupBy.map((dimension) => (isLabelDimension(dimension) ? "" : (values.shift() ?? ""))),
      amounts.map(([name, amount]) => [name, amount - (row?.get(name) ?? 0n)] as const),
    );
  }
}
