import { sql, type Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";
import { shownPeriod } from "./totals-query.ts";
import type { FirstBytesRow, Tables } from "./schema.ts";

/** Each range of times is a twentieth longer than the one before, so that a percentile is exact within 5 %. */
const growth = 1.05;
const hourMs = 3_600_000;
/** Rows of one statement, within SQLite's 32,766 parameters. */
const rowsAtOnce = 500;

/** The range that a time is in. */
function bucketOf(ms: number): number {
  return Math.floor(Math.log(Math.max(0, ms) + 1) / Math.log(growth));
}

/** The middle of a range, ms. */
function middleOf(bucket: number): number {
  return Math.round(growth ** (bucket + 0.5) - 1);
}

/** Counts the times to the first byte of completed calls that were just inserted. */
export async function addFirstBytes(at: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  const counts = new Map<string, FirstBytesRow>();
  for (const { time, accountId: account, model, channelId: channel, outcome, firstByteMs } of events) {
    if (outcome !== "completed") continue;
    const moment = Date.parse(time);
    const period = moment - (((moment % hourMs) + hourMs) % hourMs);
    const bucket = bucketOf(firstByteMs);
    const name = [account, period, model, channel, bucket].join("\u001f");
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { account, period, model, channel, bucket, calls: 1 });
    else known.calls += 1;
  }
  // In one order, so that two ledgers that add at once wait for each other in it.
  const rows = [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await at
      .insertInto("first_bytes")
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict((conflict) =>
        conflict
          .columns(["account", "period", "model", "channel", "bucket"])
          .doUpdateSet({ calls: sql`first_bytes.calls + excluded.calls` }),
      )
      .execute();
}

/** Which times are asked for: whole hours, and what is absent narrows nothing. */
export interface FirstBytesQuery {
  readonly from: number;
  readonly to: number;
  readonly account?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  /** What they are grouped by. */
  readonly by: readonly ("model" | "channel" | "day" | "hour")[];
}

/** Completed calls of one group, and the times within which half and 95 % of them had their first byte. */
export interface FirstByteGroup {
  readonly by: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly p50: number;
  readonly p95: number;
}

/** Percentiles of the time to the first byte over all completed calls of whole hours, in the order of their groups. */
export async function firstByteTimes({ db }: Books, query: FirstBytesQuery): Promise<readonly FirstByteGroup[]> {
  const [from, to] = [Math.floor(query.from / hourMs) * hourMs, Math.ceil(query.to / hourMs) * hourMs];
  const columns = { model: "model", channel: "channel", hour: "period", day: "period - period % 86400000" } as const;
  const groups = query.by.map((name, at) => sql`${sql.raw(columns[name])} as ${sql.ref(`by_${at}`)}`);
  const narrowed = (["account", "model", "channel"] as const).flatMap((name) =>
    query[name] === undefined ? [] : [sql`${sql.ref(name)} = ${query[name]}`],
  );
  const where = sql.join([sql`period >= ${from}`, sql`period < ${to}`, ...narrowed], sql` and `);
  const order = sql.join(Array.from({ length: groups.length + 1 }, (_, at) => sql.lit(at + 1)));
  const { rows } = await sql<Record<string, string | number>>`
    select ${sql.join([...groups, sql`bucket`, sql`sum(calls) as calls`])} from first_bytes
    where ${where} group by ${order} order by ${order}`.execute(db);
  const found = Map.groupBy(rows, (row) => query.by.map((_, at) => String(row[`by_${at}`])).join("\u001f"));
  return [...found.values()].map((its) => ({
    by: Object.fromEntries(query.by.map((name, at) => [name, shown(name, its[0]?.[`by_${at}`] ?? "")])),
    ...percentiles(its.map(({ bucket, calls }) => ({ bucket: Number(bucket), calls: Number(calls) }))),
  }));
}

function shown(name: FirstBytesQuery["by"][number], value: string | number): string {
  return name === "day" || name === "hour" ? shownPeriod(name, Number(value)) : String(value);
}

/** By nearest rank, of ranges in their order. */
function percentiles(ranges: readonly { readonly bucket: number; readonly calls: number }[]) {
  const all = ranges.reduce((sum, { calls }) => sum + calls, 0);
  const at = (share: number): number => {
    let below = 0;
    const found = ranges.find(({ calls }) => (below += calls) >= Math.ceil(all * share));
    return middleOf(found?.bucket ?? 0);
  };
  return { calls: all, p50: at(0.5), p95: at(0.95) };
}
