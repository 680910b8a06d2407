import { sql, type RawBuilder, type Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import { measuresOf, unitMeasures } from "./measures.ts";
import type { Tables, TotalsRow } from "./schema.ts";

/** The tables of totals, and how long their periods are. Both are written from the same rows. */
export const totalsPeriods = { hourly_totals: 3_600_000, daily_totals: 86_400_000 } as const;

/** Every column that is summed. */
const sums = ["calls", "cost", ...unitMeasures] as const;
/** Rows of one statement, within SQLite's 32,766 parameters. */
const rowsAtOnce = 500;

/** Adds calls that were just inserted to the totals of their hours and days. */
export async function addTotals(at: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  for (const table of ["hourly_totals", "daily_totals"] as const)
    await addRows(at, table, summed(events, totalsPeriods[table]));
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
      .onConflict((conflict) =>
        conflict
          .columns(["account", "period", "token", "model", "channel", "outcome"])
          .doUpdateSet(Object.fromEntries(sums.map((name) => [name, plus(table, name)]))),
      )
      .execute();
}

function plus(table: string, column: string): RawBuilder<bigint> {
  return sql`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
}

interface Group {
  readonly key: string;
  readonly row: Omit<TotalsRow, "calls" | "cost">;
  readonly sums: Map<string, bigint>;
}

/** One row for each group, sorted by its key, so that two ledgers that add at once wait for each other in one order. */
function summed(events: readonly UsageEvent[], periodMs: number): readonly TotalsRow[] {
  const groups = new Map<string, Group>();
  for (const event of events) {
    const group = groupOf(event, periodMs);
    const { sums } = groups.get(group.key) ?? group;
    groups.set(group.key, { ...group, sums });
    for (const [name, amount] of [["calls", 1n], ["cost", BigInt(event.costNanos)], ...measuresOf(event)] as const)
      sums.set(name, (sums.get(name) ?? 0n) + amount);
  }
  return [...groups.values()]
    .sort((left, right) => (left.key < right.key ? -1 : 1))
    .map(({ row, sums }) => ({
      ...row,
      calls: Number(sums.get("calls") ?? 0n),
      cost: sums.get("cost") ?? 0n,
      ...Object.fromEntries(unitMeasures.map((name) => [name, sums.get(name) ?? 0n])),
    }));
}

function groupOf(event: UsageEvent, periodMs: number): Group {
  const at = Date.parse(event.time);
  const row = {
    account: event.accountId,
    period: at - (((at % periodMs) + periodMs) % periodMs),
    token: event.tokenId,
    model: event.model,
    channel: event.channelId,
    outcome: event.outcome,
  };
  return { key: Object.values(row).join("\u001f"), row, sums: new Map() };
}
