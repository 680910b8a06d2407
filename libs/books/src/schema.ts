import type { ColumnType, Insertable } from "kysely";
import type { UnitMeasure } from "./measures.ts";

/** A 64-bit amount of nano-dollars: written as bigint or decimal text, read as text by a cast (`moneyText`). */
type Money = ColumnType<never, bigint | string, bigint | string>;
/** A sum of units; 0 if a row is written without it. Read as text, like money. */
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
  /** The usage event as it was received: the hash of its receipt was computed from this text. */
  event: string;
}

/**
 * Ids and positions of the calls in the books; each id occurs once, regardless of the call's time. Calls are found here
 * by the request id of the gateway or of the vendor ("" if it gave none), without a scan of every day.
 */
export interface CallIdsTable {
  account: string;
  id: string;
  at: number;
  request: string;
  upstream: string;
}

/**
 * A second receipt of a call or credit: of a second settlement by a Redis that had lost the first, or a receipt that
 * was replaced.
 */
export interface OtherReceiptsTable {
  account: string;
  hash: string;
  call: string;
  /** Time of the call, Unix ms. */
  at: number;
  /** Usage event of a second settlement; "" if the receipt was replaced. */
  event: string;
  /** 1: the charge was refunded, or there is nothing to refund. */
  refunded: number;
  /** Operation of the refund. */
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

/** Sums of the calls of one account and day with the same labels; calls without labels are not included. */
export interface LabelledTotalsTable extends TotalsTable {
  /** JSON object of the labels by name (`labelsText`). */
  labels: string;
}

/** Sums of the calls of an account and day with the same value of a tag, so that few rows represent many calls. */
export interface DailyTagTotalsTable extends Record<UnitMeasure, Sum> {
  account: string;
  /** Start of the day, Unix ms. */
  period: number;
  /** `tag:` and the name of the tag. */
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
  /** Number of the range. */
  bucket: number;
  calls: ColumnType<number, number, number>;
}

/** The counts of `FirstBytesTable` by day, so that the most frequent query does not sum every account's hours. */
export interface DailyFirstBytesTable extends FirstBytesTable {}

/** The counts of `DailyFirstBytesTable` for calls with the same value of a tag. */
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

/** A change of a balance by an operator. */
export interface CreditsTable {
  account: string;
  operation: string;
  at: number;
  kind: string;
  nanos: Money;
  event: string;
}

/** An account: its name, the sum of its credits, and the latest receipt of its chain. */
export interface AccountsTable {
  account: string;
  /** Number of the latest receipt; 0: none yet. */
  receipts: number;
  head: string;
  balance: Money;
  name: ColumnType<string, string | undefined, string>;
  /** RFC 3339; empty if only its calls are known. */
  created: ColumnType<string, string | undefined, string>;
  /** 1: Redis has it. */
  projected: ColumnType<number, number | undefined, number>;
  /** Sum of the credits that Redis has applied, in nano-dollars. */
  credited: Sum;
  /** Sum of the steps of its receipts (`stepOf`), which equals the link of `head` if the chain is complete. */
  chain: ColumnType<number, number | undefined, number>;
  tip: ColumnType<number, number | undefined, number>;
}

/** An API key of an account; only the SHA-256 of the key is stored. */
export interface TokensTable {
  account: string;
  token: string;
  digest: string;
  /** Number of its changes. */
  version: number;
  /** Version that Redis has. */
  projected: number;
  /** The token as JSON. */
  record: string;
}

/** A change by an operator: who, when, and the state before and after. Neither contains secrets. */
export interface AuditTable {
  account: string;
  at: number;
  id: string;
  actor: string;
  action: string;
  before: string;
  after: string;
  /** Position in the chain of all entries, from 1, and hash (`audit-chain.ts`). */
  number: number;
  hash: string;
}

/** A signed head of a chain (`anchors.ts`). */
export interface AnchorsTable {
  /** "" for the audit. */
  account: string;
  number: number;
  head: string;
  /** Balance after the entry, nano-dollars as decimal text. */
  balance: string;
  /** Creation time of the account, RFC 3339. */
  created: string;
  /** Time of the signature. */
  at: number;
  signature: string;
}

/** Calls and credits of an account that were charged again after Redis had lost them. */
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

/** A video task in the state of its latest event. */
export interface TasksTable {
  account: string;
  task: string;
  /** Time of that event. */
  at: number;
  state: string;
  model: string;
  channel: string;
  /** The event, without the encrypted record. */
  event: string;
  /** Encrypted record from which the video service can restore the task; "" if an earlier version wrote the event. */
  record: ColumnType<string, string | undefined, string>;
  /** Time at which Redis may delete it, Unix ms; 0: it cannot be restored. */
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

/** A version of the configuration. Its document refers to vendor keys by `kept:` and an id, and contains no secret. */
export interface ConfigurationsTable {
  version: number;
  at: number;
  actor: string;
  note: string;
  /** YAML. */
  document: string;
}

/** An encrypted vendor key that versions of the configuration name. */
export interface VendorKeysTable {
  id: string;
  at: number;
  sealed: string;
}

/** An operator of the gateway, or a member of an account, as JSON. */
export interface OperatorsTable {
  name: string;
  record: string;
}

/** A key for automation: the SHA-256 of its secret, and its permissions as JSON. */
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
  /** "" if unknown. */
  model: string;
  status: number;
  /** The call as JSON. */
  call: string;
  /** Number of refused calls of the account after it that are not stored. */
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
