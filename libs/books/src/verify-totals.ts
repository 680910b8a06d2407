import { sql, type RawBuilder } from "kysely";
import { totalsPeriods } from "./add-totals.ts";
import { readStoredFrom } from "./forget.ts";
import { unitMeasures } from "./measures.ts";
import type { Books } from "./open.ts";
import { sumColumns } from "./sums.ts";

const { hourly_totals: hourMs, daily_totals: dayMs } = totalsPeriods;
const keyColumns = sql.raw("period, token, model, channel, outcome");

interface Difference {
  readonly id?: string;
  readonly period?: number;
}

/** Migration since which units are compared. Earlier versions may have counted them differently. */
const unitsFromMigration = "0017-anchors";

/** Compares an account's calls with their totals by hour and day. Returns a description of the first difference. */
export async function verifyTotals(books: Books, account: string): Promise<string | undefined> {
  const from = await readStoredFrom(books);
  const call = await firstDifference(books, "id", selectAlteredCalls(books, account, from));
  if (call !== undefined) return `the columns of call ${call} differ from its event`;
  const hour = await firstDifference(books, "period", selectDifferingHours(account, from));
  if (hour !== undefined) return `the totals of the hour ${periodTime(hour)} are not the sum of its calls`;
  const hourOfUnits = await firstDifference(
    books,
    "period",
    selectDifferingUnits(books, account, Math.max(from, await readUnitsFrom(books))),
  );
  if (hourOfUnits !== undefined)
    return `the units in the totals of the hour ${periodTime(hourOfUnits)} are not the sum of the units of its calls`;
  const day = await firstDifference(books, "period", selectDifferingDays(account));
  return day === undefined
    ? undefined
    : `the totals of the day ${periodTime(day)} are not the sum of the totals of its hours`;
}

async function firstDifference(
  { db }: Books,
  column: "id" | "period",
  statement: RawBuilder<Difference>,
): Promise<string | number | undefined> {
  const { rows } = await statement.execute(db);
  return rows[0]?.[column];
}

function periodTime(period: string | number): string {
  return new Date(Number(period)).toISOString();
}

async function readUnitsFrom({ db }: Books): Promise<number> {
  const { rows } = await sql<{ timestamp: string }>`
    select timestamp from kysely_migration where name = ${unitsFromMigration}`.execute(db);
  return Math.ceil(Date.parse(rows[0]?.timestamp ?? "") / hourMs) * hourMs;
}

/** Columns of a call that copy members of its event. */
const copiedColumns = {
  token: "tokenId",
  model: "model",
  channel: "channelId",
  outcome: "outcome",
  status: "status",
  cost: "costNanos",
};

function selectAlteredCalls({ engine }: Books, account: string, from: number): RawBuilder<Difference> {
  const member = (name: string) =>
    engine === "postgres"
      ? sql`event::json ->> ${sql.lit(name)}`
      : sql`cast(json_extract(event, ${sql.lit(`$.${name}`)}) as text)`;
  const differs = Object.entries(copiedColumns).map(
    ([column, name]) => sql`cast(${sql.ref(column)} as text) <> ${member(name)}`,
  );
  return sql<Difference>`select id from calls where account = ${account} and at >= ${from} and (${sql.join(differs, sql` or `)})
    order by at limit 1`;
}

function selectDifferingHours(account: string, from: number): RawBuilder<Difference> {
  return sql<Difference>`select period from (
      select at - at % ${sql.lit(hourMs)} as period, token, model, channel, outcome, 1 as calls, cost
        from calls where account = ${account} and at >= ${from}
      union all
      select ${keyColumns}, -calls, -cost from hourly_totals where account = ${account} and period >= ${from}
        and not (outcome = 'unknown' and period in (select day from moved_days where account = ${account}))
    ) as both_sides group by ${keyColumns} having sum(calls) <> 0 or sum(cost) <> 0 order by period limit 1`;
}

function selectDifferingUnits({ engine }: Books, account: string, from: number): RawBuilder<Difference> {
  const [units, amount] =
    engine === "postgres"
      ? [sql`json_each_text(event::json -> 'units') as unit`, sql`unit.value::float8`]
      : [sql`json_each(event, '$.units') as unit`, sql`unit.value`];
  const name = sql`case unit.key when 'seconds' then 'milliseconds' else unit.key end`;
  const rounded = sql`floor((case unit.key when 'seconds' then 1000 * ${amount} else ${amount} end) + 0.5)`;
  const totals = unitMeasures.map(
    (measure) => sql`select period, ${sql.lit(measure)}, -${sql.ref(measure)} from hourly_totals
      where account = ${account} and period >= ${from} and ${sql.ref(measure)} <> 0
        and not (outcome = 'unknown' and period in (select day from moved_days where account = ${account}))`,
  );
  return sql<Difference>`select period from (
      select at - at % ${sql.lit(hourMs)} as period, ${name} as name, cast(${rounded} as bigint) as amount
        from calls, ${units} where account = ${account} and at >= ${from} and unit.key <> 'requests'
      union all ${sql.join(totals, sql` union all `)}
    ) as both_sides group by period, name having sum(amount) <> 0 order by period limit 1`;
}

function selectDifferingDays(account: string): RawBuilder<Difference> {
  const list = (each: (column: string) => RawBuilder<unknown>) => sql.join(sumColumns.map(each));
  return sql<Difference>`select period from (
      select period - period % ${sql.lit(dayMs)} as period, token, model, channel, outcome, ${list((name) => sql.ref(name))}
        from hourly_totals where account = ${account}
      union all
      select ${keyColumns}, ${list((name) => sql`-${sql.ref(name)}`)} from daily_totals where account = ${account}
    ) as both_sides group by ${keyColumns}
    having ${sql.join(
      sumColumns.map((name) => sql`sum(${sql.ref(name)}) <> 0`),
      sql` or `,
    )} order by period limit 1`;
}
