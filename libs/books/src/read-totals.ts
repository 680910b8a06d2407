import { sql } from "kysely";
import { totalsPeriods } from "./add-totals.ts";
import { unitMeasures } from "./measures.ts";
import type { Books } from "./open.ts";
import type { CallFilter } from "./read-calls.ts";

/** What totals can be grouped by. */
export const totalsDimensions = ["account", "token", "model", "channel", "outcome", "day", "hour"] as const;
export type TotalsDimension = (typeof totalsDimensions)[number];

/** Which totals are asked for. Whole hours: what `from` and `to` cut an hour in counts with its hour. */
export interface TotalsQuery extends Pick<
  CallFilter,
  "from" | "to" | "account" | "token" | "model" | "channel" | "outcome"
> {
  readonly groupBy: readonly TotalsDimension[];
}

/** One row of totals: the dimensions asked for, and sums as decimal strings; units that do not occur are left out. */
export interface UsageTotal {
  readonly by: Readonly<Partial<Record<TotalsDimension, string>>>;
  readonly sums: Readonly<Record<string, string>>;
}

const measures = ["calls", "cost", ...unitMeasures] as const;

/** Sums of usage, grouped, in the order of their dimensions. Whole days are read from the totals of days. */
export async function readTotals(books: Books, query: TotalsQuery): Promise<readonly UsageTotal[]> {
  const table = tableFor(query);
  const period = totalsPeriods[table];
  const groups = query.groupBy.map((dimension) => ({ dimension, value: valueOf(dimension) }));
  const columns = [
    ...groups.map(({ dimension, value }) => sql`${value} as ${sql.ref(dimension)}`),
    // As text, because sums of money are beyond the whole numbers that a double keeps.
    ...measures.map((name) => sql`cast(coalesce(sum(${sql.ref(name)}), 0) as text) as ${sql.ref(name)}`),
  ];
  const wanted = (["account", "token", "model", "channel", "outcome"] as const).flatMap((column) =>
    query[column] === undefined ? [] : [sql`${sql.ref(column)} = ${query[column]}`],
  );
  const where = [sql`period >= ${floored(query.from, period)}`, sql`period < ${query.to}`, ...wanted];
  const places = groups.map((_, at) => sql.lit(at + 1));
  const order = groups.length === 0 ? sql`` : sql`group by ${sql.join(places)} order by ${sql.join(places)}`;
  const { rows } = await sql<Record<string, string | number>>`
    select ${sql.join(columns)} from ${sql.table(table)} where ${sql.join(where, sql` and `)} ${order}`.execute(
    books.db,
  );
  // A sum over nothing is a row too.
  return rows.filter((row) => row["calls"] !== "0").map((row) => totalOf(row, query.groupBy));
}

function totalOf(row: Readonly<Record<string, string | number>>, groupBy: readonly TotalsDimension[]): UsageTotal {
  const sums = measures.filter((name) => name === "calls" || name === "cost" || row[name] !== "0");
  return {
    by: Object.fromEntries(groupBy.map((dimension) => [dimension, shown(dimension, row[dimension] ?? "")])),
    sums: Object.fromEntries(sums.map((name) => [name === "cost" ? "costNanos" : name, String(row[name])])),
  };
}

/** The smaller table, where it has what is asked for. */
function tableFor({ from, to, groupBy }: TotalsQuery): keyof typeof totalsPeriods {
  const day = totalsPeriods.daily_totals;
  return from % day === 0 && to % day === 0 && !groupBy.includes("hour") ? "daily_totals" : "hourly_totals";
}

function valueOf(dimension: TotalsDimension) {
  if (dimension === "hour") return sql.ref("period");
  return dimension === "day" ? sql`period - period % ${sql.lit(totalsPeriods.daily_totals)}` : sql.ref(dimension);
}

function shown(dimension: TotalsDimension, value: string | number): string {
  if (dimension === "day") return new Date(value).toISOString().slice(0, 10);
  return dimension === "hour" ? new Date(value).toISOString() : String(value);
}

function floored(at: number, period: number): number {
  return at - (at % period);
}
