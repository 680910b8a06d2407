import { sql, type RawBuilder, type Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import { executeInBatches } from "./in-parts.ts";
import { labelsOf, labelsText, tagsOf } from "./labels.ts";
import type { LabelledTotalsRow, Tables, TotalsRow } from "./schema.ts";
import { addAmounts, amountsOf, sumsAsColumns, sumColumns, type Sums } from "./sums.ts";

/** Length in ms of the periods of each table of totals. */
export const totalsPeriods = {
  hourly_totals: 3_600_000,
  daily_totals: 86_400_000,
  labelled_totals: 86_400_000,
  daily_tag_totals: 86_400_000,
} as const;

const keyColumns = ["account", "period", "token", "model", "channel", "outcome"] as const;

/** Adds new calls to the totals by hour, day and labels. */
export async function addTotals(transaction: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  const hourly = sumByKey(
    events.map((event) => ({ key: totalsKey(event, totalsPeriods.hourly_totals), sums: sumsOf(event) })),
  );
  const daily = sumByKey(
    hourly.map(({ key, sums }) => ({ key: withLongerPeriod(key, totalsPeriods.daily_totals), sums })),
  );
  await addRows(transaction, "hourly_totals", hourly.map(rowOf));
  await addRows(transaction, "daily_totals", daily.map(rowOf));
  const labelled = sumByKey(
    events.flatMap((event) => {
      const labels = labelsOf(event);
      if (labels.length === 0) return [];
      const key = { ...totalsKey(event, totalsPeriods.labelled_totals), labels: labelsText(labels) };
      return [{ key, sums: sumsOf(event) }];
    }),
  );
  await addLabelledRows(transaction, labelled.map(rowOf));
}

/** Inserts rows into a table of totals. If a row exists, adds the sums to it. */
export async function addRows(
  transaction: Transaction<Tables>,
  table: "hourly_totals" | "daily_totals",
  rows: readonly TotalsRow[],
): Promise<void> {
  await executeInBatches(rows, (batch) =>
    transaction
      .insertInto(table)
      .values(batch)
      .onConflict((conflict) => conflict.columns([...keyColumns]).doUpdateSet(additionExpressions(table))),
  );
}

/** Adds new calls to the totals by day and tag. */
export async function addTagTotals(transaction: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  const tagged = sumByKey(
    events.flatMap((event) =>
      tagsOf(event).map(({ name, value }) => {
        const period = periodOf(Date.parse(event.time), totalsPeriods.daily_tag_totals);
        return { key: { account: event.accountId, period, name, value, outcome: event.outcome }, sums: sumsOf(event) };
      }),
    ),
  ).map(rowOf);
  await executeInBatches(tagged, (batch) =>
    transaction
      .insertInto("daily_tag_totals")
      .values(batch)
      .onConflict((conflict) =>
        conflict
          .columns(["account", "period", "name", "value", "outcome"])
          .doUpdateSet(additionExpressions("daily_tag_totals")),
      ),
  );
}

async function addLabelledRows(transaction: Transaction<Tables>, rows: readonly LabelledTotalsRow[]): Promise<void> {
  await executeInBatches(rows, (batch) =>
    transaction
      .insertInto("labelled_totals")
      .values(batch)
      .onConflict((conflict) =>
        conflict.columns([...keyColumns, "labels"]).doUpdateSet(additionExpressions("labelled_totals")),
      ),
  );
}

function additionExpressions(table: keyof typeof totalsPeriods): Readonly<Record<string, RawBuilder<bigint>>> {
  return Object.fromEntries(
    sumColumns.map((name) => [name, sql`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`]),
  );
}

interface KeyedSums<Key> {
  readonly key: Key;
  readonly sums: Sums;
}

/** Adds up sums with the same key. The result is sorted, so that concurrent ledgers do not deadlock. */
function sumByKey<Key extends object>(all: readonly KeyedSums<Key>[]): readonly KeyedSums<Key>[] {
  const groups = new Map<string, KeyedSums<Key>>();
  for (const { key, sums } of all) {
    const name = Object.values(key).join("\u001f");
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { key, sums: new Map(sums) });
    else addAmounts(group.sums, sums);
  }
  return [...groups].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, group]) => group);
}

function sumsOf(event: UsageEvent): Sums {
  return new Map(amountsOf(event));
}

function rowOf<Key extends object>({ key, sums }: KeyedSums<Key>) {
  return { ...key, ...sumsAsColumns(sums) };
}

function withLongerPeriod<Key extends { readonly period: number }>(key: Key, periodMs: number): Key {
  return { ...key, period: periodOf(key.period, periodMs) };
}

/** Returns the beginning of the period that contains a time. Both are in Unix ms. */
export function periodOf(at: number, periodMs: number): number {
  return at - (((at % periodMs) + periodMs) % periodMs);
}

function totalsKey(event: UsageEvent, periodMs: number) {
  return {
    account: event.accountId,
    period: periodOf(Date.parse(event.time), periodMs),
    token: event.tokenId,
    model: event.model,
    channel: event.channelId,
    outcome: event.outcome,
  };
}
