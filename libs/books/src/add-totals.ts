import { sql, type RawBuilder, type Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import { labelsOf, labelsText } from "./labels.ts";
import type { LabelledTotalsRow, Tables, TotalsRow } from "./schema.ts";
import { addAmounts, amountsOf, columnsOf, sumColumns, type Sums } from "./sums.ts";

/** The tables of totals, and how long their periods are. All are written from the same calls. */
export const totalsPeriods = {
  hourly_totals: 3_600_000,
  daily_totals: 86_400_000,
  /** Of calls with labels only. */
  labelled_totals: 86_400_000,
} as const;

/** Rows of one statement, within SQLite's 32,766 parameters. */
const rowsAtOnce = 500;
/** What a row is of, in every table. */
const keys = ["account", "period", "token", "model", "channel", "outcome"] as const;

/** Adds calls that were just inserted to the totals of their hours and days. */
export async function addTotals(at: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  for (const table of ["hourly_totals", "daily_totals"] as const)
    await addRows(
      at,
      table,
      summed(events, (event) => keyOf(event, totalsPeriods[table])),
    );
  const labelled = summed(
    events.flatMap((event) => (labelsOf(event).length === 0 ? [] : [event])),
    (event) => ({ ...keyOf(event, totalsPeriods.labelled_totals), labels: labelsText(labelsOf(event)) }),
  );
  await addLabelledRows(at, labelled);
}

/** Adds rows to what a table of totals has under the same keys. */
export async function addRows(
  at: Transaction<Tables>,
  table: "hourly_totals" | "daily_totals",
  rows: readonly TotalsRow[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await at
      .insertInto(table)
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict((conflict) => conflict.columns([...keys]).doUpdateSet(added(table)))
      .execute();
}

async function addLabelledRows(at: Transaction<Tables>, rows: readonly LabelledTotalsRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await at
      .insertInto("labelled_totals")
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict((conflict) => conflict.columns([...keys, "labels"]).doUpdateSet(added("labelled_totals")))
      .execute();
}

/** Each column of sums with what is to be added. */
function added(table: keyof typeof totalsPeriods): Readonly<Record<string, RawBuilder<bigint>>> {
  return Object.fromEntries(
    sumColumns.map((name) => [name, sql`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`]),
  );
}

/** One row for each key, in the order of the keys, so that two ledgers that add at once wait for each other in one order. */
function summed<Key extends object>(events: readonly UsageEvent[], keyed: (event: UsageEvent) => Key) {
  const groups = new Map<string, { readonly key: Key; readonly sums: Sums }>();
  for (const event of events) {
    const key = keyed(event);
    const name = Object.values(key).join("\u001f");
    const group = groups.get(name) ?? { key, sums: new Map() };
    groups.set(name, group);
    addAmounts(group.sums, amountsOf(event));
  }
  return [...groups]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { key, sums }]) => ({ ...key, ...columnsOf(sums) }));
}

function keyOf(event: UsageEvent, periodMs: number) {
  const at = Date.parse(event.time);
  return {
    account: event.accountId,
    period: at - (((at % periodMs) + periodMs) % periodMs),
    token: event.tokenId,
    model: event.model,
    channel: event.channelId,
    outcome: event.outcome,
  };
}
