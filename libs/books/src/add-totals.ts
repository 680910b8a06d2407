import { sql, type RawBuilder, type Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import { inParts } from "./in-parts.ts";
import { labelsOf, labelsText, tagsOf } from "./labels.ts";
import type { LabelledTotalsRow, Tables, TotalsRow } from "./schema.ts";
import { addAmounts, amountsOf, columnsOf, sumColumns, type Sums } from "./sums.ts";

/** Tables of totals, and the length of their periods in ms. All are computed from the same calls. */
export const totalsPeriods = {
  hourly_totals: 3_600_000,
  daily_totals: 86_400_000,
  /** Only calls with labels. */
  labelled_totals: 86_400_000,
  /** Only calls with tags; a call counts once for each of its tags. */
  daily_tag_totals: 86_400_000,
} as const;

/** Key columns of a row, in every table of totals. */
const keys = ["account", "period", "token", "model", "channel", "outcome"] as const;

/** Adds newly inserted calls to the totals of their hours and days. */
export async function addTotals(at: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  const hourly = summed(
    events.map((event) => ({ key: keyOf(event, totalsPeriods.hourly_totals), sums: sumsOf(event) })),
  );
  const daily = summed(hourly.map(({ key, sums }) => ({ key: ofPeriod(key, totalsPeriods.daily_totals), sums })));
  await addRows(at, "hourly_totals", hourly.map(rowOf));
  await addRows(at, "daily_totals", daily.map(rowOf));
  const labelled = summed(
    events.flatMap((event) => {
      const labels = labelsOf(event);
      if (labels.length === 0) return [];
      const key = { ...keyOf(event, totalsPeriods.labelled_totals), labels: labelsText(labels) };
      return [{ key, sums: sumsOf(event) }];
    }),
  );
  await addLabelledRows(at, labelled.map(rowOf));
}

/** Adds rows to the sums that a table of totals has under the same keys. */
export async function addRows(
  at: Transaction<Tables>,
  table: "hourly_totals" | "daily_totals",
  rows: readonly TotalsRow[],
): Promise<void> {
  await inParts(rows, (several) =>
    at
      .insertInto(table)
      .values(several)
      .onConflict((conflict) => conflict.columns([...keys]).doUpdateSet(added(table))),
  );
}

/** Adds newly inserted calls to the totals of their days and tags. */
export async function addTagTotals(at: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  const tagged = summed(
    events.flatMap((event) =>
      tagsOf(event).map(({ name, value }) => {
        const period = periodOf(Date.parse(event.time), totalsPeriods.daily_tag_totals);
        return { key: { account: event.accountId, period, name, value, outcome: event.outcome }, sums: sumsOf(event) };
      }),
    ),
  ).map(rowOf);
  await inParts(tagged, (several) =>
    at
      .insertInto("daily_tag_totals")
      .values(several)
      .onConflict((conflict) =>
        conflict.columns(["account", "period", "name", "value", "outcome"]).doUpdateSet(added("daily_tag_totals")),
      ),
  );
}

async function addLabelledRows(at: Transaction<Tables>, rows: readonly LabelledTotalsRow[]): Promise<void> {
  await inParts(rows, (several) =>
    at
      .insertInto("labelled_totals")
      .values(several)
      .onConflict((conflict) => conflict.columns([...keys, "labels"]).doUpdateSet(added("labelled_totals"))),
  );
}

/** Returns, for each column of sums, the expression that adds the new amount. */
function added(table: keyof typeof totalsPeriods): Readonly<Record<string, RawBuilder<bigint>>> {
  return Object.fromEntries(
    sumColumns.map((name) => [name, sql`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`]),
  );
}

/** Sums with their key. */
interface Summed<Key> {
  readonly key: Key;
  readonly sums: Sums;
}

/** Sums up by key, ordered by key, so that two concurrent ledgers lock rows in the same order. */
function summed<Key extends object>(all: readonly Summed<Key>[]): readonly Summed<Key>[] {
  const groups = new Map<string, Summed<Key>>();
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

function rowOf<Key extends object>({ key, sums }: Summed<Key>) {
  return { ...key, ...columnsOf(sums) };
}

/** Returns the key of the longer period that contains a key's period. */
function ofPeriod<Key extends { readonly period: number }>(key: Key, periodMs: number): Key {
  return { ...key, period: periodOf(key.period, periodMs) };
}

/** Returns the start of the period that contains a time, Unix ms. */
export function periodOf(at: number, periodMs: number): number {
  return at - (((at % periodMs) + periodMs) % periodMs);
}

function keyOf(event: UsageEvent, periodMs: number) {
  return {
    account: event.accountId,
    period: periodOf(Date.parse(event.time), periodMs),
    token: event.tokenId,
    model: event.model,
    channel: event.channelId,
    outcome: event.outcome,
  };
}
