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

/**
 * Ids of the calls in the books, each once whatever its time is, and their place. Calls are found here by a request id,
 * the gateway's or the vendor's ("": it gave none), without a scan of every day.
 */
export interface CallIdsTable {
  account: string;
  id: string;
  at: number;
  request: string;
  upstream: string;
}

/**
 * A receipt of a call or a credit beside the one that it has: of a second settlement by a Redis that had lost the first, or one
 * that was replaced.
 */
export interface OtherReceiptsTable {
  account: string;
  hash: string;
  call: string;
  /** Of the call: Unix ms. */
  at: number;
  /** The usage event of a second settlement; "" where the receipt was replaced. */
  event: string;
  /** 1: what it took was given back, or is nothing to give back. */
  refunded: number;
  /** The operation that gives it back. */
  operation: string;
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

/** Sums of the calls of an account and day that have the same value of a tag, so that few rows have many calls. */
export interface DailyTagTotalsTable extends Record<UnitMeasure, Sum> {
  account: string;
  /** Unix ms of the beginning of the day. */
  period: number;
  /** `tag:` and the tag's name. */
  name: string;
  value: string;
  outcome: string;
  calls: ColumnType<number, number, number>;
  cost: Money;
}

/** Number of completed calls of an account and hour, by ranges of the time to the first byte (`first-bytes.ts`). */
export interface FirstBytesTable {
  account: string;
  /** Unix ms of the beginning of the hour. */
  period: number;
  model: string;
  channel: string;
  /** The range's number. */
  bucket: number;
  calls: ColumnType<number, number, number>;
}

/** The same of whole days, so that the busiest question is no sum over every account's hours. */
export interface DailyFirstBytesTable extends FirstBytesTable {}

/** The same of a day's calls that have the same value of a tag. */
export interface DailyTagFirstBytesTable extends Pick<FirstBytesTable, "account" | "period" | "bucket" | "calls"> {
  name: string;
  value: string;
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

/** An account: its name, the sum of its credits, and the newest receipt of its chain. */
export interface AccountsTable {
  account: string;
  /** Number of the newest receipt; 0: none yet. */
  receipts: number;
  head: string;
  balance: Money;
  name: ColumnType<string, string | undefined, string>;
  /** RFC 3339; empty where only its calls are known. */
  created: ColumnType<string, string | undefined, string>;
  /** 1: Redis was given it. */
  projected: ColumnType<number, number | undefined, number>;
  /** Sum of the credits that Redis has applied: nano-dollars. */
  credited: Sum;
  /** Sum of the steps of its receipts (`stepOf`), and the link of `head`: the same where the chain is whole. */
  chain: ColumnType<number, number | undefined, number>;
  tip: ColumnType<number, number | undefined, number>;
}

/** A token of an account; of its key only the SHA-256. */
export interface TokensTable {
  account: string;
  token: string;
  digest: string;
  /** Counts its changes. */
  version: number;
  /** The version that Redis was given. */
  projected: number;
  /** The token as JSON. */
  record: string;
}

/** A change by an operator: who, when, and what was there before and after. Secrets are in neither. */
export interface AuditTable {
  account: string;
  at: number;
  id: string;
  actor: string;
  action: string;
  before: string;
  after: string;
  /** Its place in the chain of all entries, from 1, and its hash (`audit-chain.ts`). */
  number: number;
  hash: string;
}

/** A signed head of a chain (`anchors.ts`). */
export interface AnchorsTable {
  /** "": the audit's. */
  account: string;
  number: number;
  head: string;
  /** Nano-dollars after it, decimal. */
  balance: string;
  /** Creation time of the account, RFC 3339. */
  created: string;
  /** Time of the signature. */
  at: number;
  signature: string;
}

/** Calls and credits of an account that a Redis had lost and was charged again. */
export interface RestorationsTable {
  account: string;
  at: number;
  id: string;
  reason: string;
  calls: number;
  nanos: Money;
}

/** A value that the ledgers share. */
export interface MarksTable {
  name: string;
  value: string;
}

/** One video task, as its newest event has it. */
export interface TasksTable {
  account: string;
  task: string;
  /** Of that event. */
  at: number;
  state: string;
  model: string;
  channel: string;
  /** The event, without the record. */
  event: string;
  /** Record that the video service continues with, as it encrypted it; "" if an earlier version wrote the event. */
  record: ColumnType<string, string | undefined, string>;
  /** Time at which Redis may forget it, Unix ms; 0: nothing can be restored. */
  until: ColumnType<number, number | undefined, number>;
}

/**
 * A day of an account whose totals were moved out of Redis and exceeded its calls. The row prevents a second
 * addition.
 */
export interface MovedDaysTable {
  account: string;
  day: number;
}

/** A version of the configuration. Its document names vendor keys by `kept:` and an id, and holds no secret. */
export interface ConfigurationsTable {
  version: number;
  at: number;
  actor: string;
  note: string;
  /** YAML. */
  document: string;
}

/** A vendor's key that versions of the configuration name, sealed. */
export interface VendorKeysTable {
  id: string;
  at: number;
  sealed: string;
}

/** One who operates the gateway, or a member of an account; as JSON. */
export interface OperatorsTable {
  name: string;
  record: string;
}

/** A key for automation: the SHA-256 of its secret, and what it may do as JSON. */
export interface OperatorKeysTable {
  id: string;
  digest: string;
  record: string;
}

/** A call that was refused before money was held for it. */
export interface RefusedCallsTable {
  account: string;
  at: number;
  id: string;
  request: string;
  token: string;
  /** "": not known. */
  model: string;
  status: number;
  /** The call as JSON. */
  call: string;
  /** Refused calls of the account right after it that are not kept. */
  left_out: number;
}

export interface Tables {
  calls: CallsTable;
  call_ids: CallIdsTable;
  other_receipts: OtherReceiptsTable;
  hourly_totals: TotalsTable;
  daily_totals: TotalsTable;
  labelled_totals: LabelledTotalsTable;
  daily_tag_totals: DailyTagTotalsTable;
  first_bytes: FirstBytesTable;
  daily_first_bytes: DailyFirstBytesTable;
  daily_tag_first_bytes: DailyTagFirstBytesTable;
  call_labels: CallLabelsTable;
  refused_calls: RefusedCallsTable;
  credits: CreditsTable;
  accounts: AccountsTable;
  tasks: TasksTable;
  moved_days: MovedDaysTable;
  tokens: TokensTable;
  audit: AuditTable;
  anchors: AnchorsTable;
  restorations: RestorationsTable;
  marks: MarksTable;
  configurations: ConfigurationsTable;
  vendor_keys: VendorKeysTable;
  operators: OperatorsTable;
  operator_keys: OperatorKeysTable;
}

export type CallRow = Insertable<CallsTable>;
export type TotalsRow = Insertable<TotalsTable>;
export type LabelledTotalsRow = Insertable<LabelledTotalsTable>;
