import type { ColumnType, Insertable } from "kysely";
import type { UnitMeasure } from "./measures.ts";

/** A 64-bit amount of nano-dollars: written as bigint or decimal text, read as text by a cast (`moneyText`). */
type Money = ColumnType<never, bigint | string, bigint | string>;
/** A sum of units; 0 where a row is written without it. Read as text, like money. */
type Sum = ColumnType<never, bigint | undefined, bigint | undefined>;

/** One settled call. Times are Unix ms. */
export interface CallsTable {
  account: string;
  at: number;
  id: string;
  request: string;
  token: string;
  model: string;
  channel: string;
  outcome: string;
  status: number;
  cost: Money;
  /** The usage event as it came: its receipt's hash was made of this very text. */
  event: string;
}

/** Sums of the calls of one account and period (an hour or a day), with one column for each unit. */
export interface TotalsTable extends Record<UnitMeasure, Sum> {
  account: string;
  /** Unix ms of the beginning of the hour or day. */
  period: number;
  token: string;
  model: string;
  channel: string;
  outcome: string;
  calls: ColumnType<number, number, number>;
  cost: Money;
}

/** Sums of the calls of one account and day that have the same labels; calls without any are not in it. */
export interface LabelledTotalsTable extends TotalsTable {
  /** An object by the labels' names, as JSON (`labelsText`). */
  labels: string;
}

/** A label of a call: `endUser`, or `tag:` and the name of a tag. */
export interface CallLabelsTable {
  account: string;
  at: number;
  id: string;
  name: string;
  value: string;
}

/** One change of a balance by an operator. */
export interface CreditsTable {
  account: string;
  operation: string;
  at: number;
  kind: string;
  nanos: Money;
  event: string;
}

/** What the books know of an account: the newest receipt of its chain. */
export interface AccountsTable {
  account: string;
  /** Number of the newest receipt; 0: none yet. */
  receipts: number;
  head: string;
  balance: Money;
}

/** One video task that ended. */
export interface TasksTable {
  account: string;
  task: string;
  at: number;
  state: string;
  model: string;
  channel: string;
  event: string;
}

/** A day of an account whose totals had more than its calls when they were moved out of Redis: added once. */
export interface MovedDaysTable {
  account: string;
  day: number;
}

export interface Tables {
  calls: CallsTable;
  hourly_totals: TotalsTable;
  daily_totals: TotalsTable;
  labelled_totals: LabelledTotalsTable;
  call_labels: CallLabelsTable;
  credits: CreditsTable;
  accounts: AccountsTable;
  tasks: TasksTable;
  moved_days: MovedDaysTable;
}

export type CallRow = Insertable<CallsTable>;
export type TotalsRow = Insertable<TotalsTable>;
export type LabelledTotalsRow = Insertable<LabelledTotalsTable>;
