import { sql, type Transaction } from "kysely";
import type { firstByteDimensions, UsageEvent } from "@modelgate/contracts";
import { periodOf } from "./add-totals.ts";
import { executeInBatches } from "./in-parts.ts";
import { isLabelName, tagsOf, type LabelName } from "./labels.ts";
import type { Books } from "./open.ts";
import { renderPeriod } from "./totals-query.ts";
import type { Tables } from "./schema.ts";

/** Factor between one range of times and the next. Percentiles are therefore exact within 5 %. */
const rangeGrowth = 1.05;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

function bucketIndex(ms: number): number {
  return Math.floor(Math.log(Math.max(0, ms) + 1) / Math.log(rangeGrowth));
}

function bucketMiddle(bucket: number): number {
  return Math.round(rangeGrowth ** (bucket + 0.5) - 1);
}

/** Adds the times to the first byte of new calls, by account and hour. */
export async function addHourlyFirstByteTimes(
  transaction: Transaction<Tables>,
  events: readonly UsageEvent[],
): Promise<void> {
  const rows = countByKey(events, (event, moment) => [
    { account: event.accountId, ...periodAndBucket(event, moment, hourMs) },
  ]);
  await executeInBatches(rows, (batch) =>
    transaction
      .insertInto("first_bytes")
      .values(batch)
      .onConflict((conflict) =>
        conflict
          .columns(["account", "period", "model", "channel", "bucket"])
          .doUpdateSet({ calls: sql`first_bytes.calls + excluded.calls` }),
      ),
  );
}

/** Adds the times to the first byte of new calls, by account and day. */
export async function addDailyFirstByteTimes(
  transaction: Transaction<Tables>,
  events: readonly UsageEvent[],
): Promise<void> {
  const rows = countByKey(events, (event, moment) => [
    { account: event.accountId, ...periodAndBucket(event, moment, dayMs) },
  ]);
  await executeInBatches(rows, (batch) =>
    transaction
      .insertInto("daily_first_bytes")
      .values(batch)
      .onConflict((conflict) =>
        conflict
          .columns(["account", "period", "model", "channel", "bucket"])
          .doUpdateSet({ calls: sql`daily_first_bytes.calls + excluded.calls` }),
      ),
  );
}

function periodAndBucket({ model, channelId: channel, firstByteMs }: UsageEvent, moment: number, periodMs: number) {
  return { period: periodOf(moment, periodMs), model, channel, bucket: bucketIndex(firstByteMs) };
}

/** Adds the times to the first byte of new calls, by account, day and tag. */
export async function addTagFirstByteTimes(
  transaction: Transaction<Tables>,
  events: readonly UsageEvent[],
): Promise<void> {
  const rows = countByKey(events, (event, moment) => {
    const { period, bucket } = periodAndBucket(event, moment, dayMs);
    return tagsOf(event).map(({ name, value }) => ({ account: event.accountId, period, name, value, bucket }));
  });
  await executeInBatches(rows, (batch) =>
    transaction
      .insertInto("daily_tag_first_bytes")
      .values(batch)
      .onConflict((conflict) =>
        conflict
          .columns(["account", "period", "name", "value", "bucket"])
          .doUpdateSet({ calls: sql`daily_tag_first_bytes.calls + excluded.calls` }),
      ),
  );
}

/** Counts completed calls by key. The result is sorted, so that concurrent ledgers do not deadlock. */
function countByKey<Key extends object>(
  events: readonly UsageEvent[],
  keysOf: (event: UsageEvent, moment: number) => readonly Key[],
): readonly (Key & { calls: number })[] {
  const rows = new Map<string, Key & { calls: number }>();
  for (const event of events) {
    if (event.outcome !== "completed") continue;
    for (const key of keysOf(event, Date.parse(event.time))) {
      const name = Object.values(key).join("\u001f");
      const group = rows.get(name);
      if (group === undefined) rows.set(name, { ...key, calls: 1 });
      else group.calls += 1;
    }
  }
  return [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

/**
 * Filter and grouping of times to the first byte. The period is extended to complete hours, or to days if grouped by a
 * tag.
 */
export interface FirstBytesQuery {
  readonly from: number;
  readonly to: number;
  readonly account?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  /** Dimensions to group by. A tag can be combined only with `day`. */
  readonly by: readonly ((typeof firstByteDimensions)[number] | LabelName)[];
}

/** Completed calls of one group, and percentiles in ms of their times to the first byte. */
export interface FirstByteGroup {
  readonly by: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly p50: number;
  readonly p95: number;
}

/** Reads percentiles of the times to the first byte by group. */
export async function readFirstByteTimes(books: Books, query: FirstBytesQuery): Promise<readonly FirstByteGroup[]> {
  const groups = new Map<string, { readonly row: FirstBytesRow; readonly ranges: Map<number, number> }>();
  for (const part of splitByTable(query))
    for (const row of await readPart(books, part)) {
      const key = query.by.map((_, at) => row[`by_${at}`]).join("\u001f");
      const group = groups.get(key) ?? { row, ranges: new Map<number, number>() };
      groups.set(key, group);
      const bucket = Number(row["bucket"]);
      group.ranges.set(bucket, (group.ranges.get(bucket) ?? 0) + Number(row["calls"]));
    }
  return [...groups]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { row, ranges }]) => ({
      by: Object.fromEntries(query.by.map((name, at) => [name, showDimension(name, row[`by_${at}`] ?? "")])),
      ...percentiles([...ranges].toSorted(([one], [other]) => one - other)),
    }));
}

type FirstBytesRow = Readonly<Record<string, string | number>>;

/** Part of a query's period, and the table for it. */
interface TablePart extends FirstBytesQuery {
  readonly table: "first_bytes" | "daily_first_bytes" | "daily_tag_first_bytes";
}

function splitByTable(query: FirstBytesQuery): readonly TablePart[] {
  const [from, to] = [Math.floor(query.from / hourMs) * hourMs, Math.ceil(query.to / hourMs) * hourMs];
  if (query.by.some(isLabelName)) {
    const days = { from: Math.floor(from / dayMs) * dayMs, to: Math.ceil(to / dayMs) * dayMs };
    return [{ ...query, table: "daily_tag_first_bytes", ...days }];
  }
  const [first, last] = [Math.ceil(from / dayMs) * dayMs, Math.floor(to / dayMs) * dayMs];
  if (query.by.includes("hour") || first >= last) return [{ ...query, table: "first_bytes", from, to }];
  const parts: readonly TablePart[] = [
    { ...query, table: "first_bytes", from, to: first },
    { ...query, table: "daily_first_bytes", from: first, to: last },
    { ...query, table: "first_bytes", from: last, to },
  ];
  return parts.filter((part) => part.from < part.to);
}

async function readPart({ db }: Books, { table, from, to, ...query }: TablePart): Promise<readonly FirstBytesRow[]> {
  const columns = { model: "model", channel: "channel", hour: "period", day: "period - period % 86400000" } as const;
  const columnOf = (name: FirstBytesQuery["by"][number]): string => (isLabelName(name) ? "value" : columns[name]);
  const groups = query.by.map((name, at) => sql`${sql.raw(columnOf(name))} as ${sql.ref(`by_${at}`)}`);
  const narrowed = (["account", "model", "channel"] as const).flatMap((name) =>
    query[name] === undefined ? [] : [sql`${sql.ref(name)} = ${query[name]}`],
  );
  const tagged = query.by.filter(isLabelName).map((name) => sql`name = ${name}`);
  const where = sql.join([sql`period >= ${from}`, sql`period < ${to}`, ...narrowed, ...tagged], sql` and `);
  const ordinals = sql.join(Array.from({ length: groups.length + 1 }, (_, at) => sql.lit(at + 1)));
  const { rows } = await sql<FirstBytesRow>`
    select ${sql.join([...groups, sql`bucket`, sql`sum(calls) as calls`])} from ${sql.table(table)}
    where ${where} group by ${ordinals}`.execute(db);
  return rows;
}

function showDimension(name: FirstBytesQuery["by"][number], value: string | number): string {
  return name === "day" || name === "hour" ? renderPeriod(name, Number(value)) : String(value);
}

/** Computes percentiles by nearest rank. The ranges are in ascending order. */
function percentiles(ranges: readonly (readonly [bucket: number, calls: number])[]) {
  const all = ranges.reduce((sum, [, calls]) => sum + calls, 0);
  const percentileAt = (share: number): number => {
    let below = 0;
    const range = ranges.find(([, calls]) => (below += calls) >= Math.ceil(all * share));
    return bucketMiddle(range?.[0] ?? 0);
  };
  return { calls: all, p50: percentileAt(0.5), p95: percentileAt(0.95) };
}
