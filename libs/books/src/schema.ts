import type { Alert, AlertDelivery, AlertTargetKind } from "@modelgate/contracts";
import type { ColumnType, Insertable } from "kysely";
import type { UnitMeasure } from "./measures.ts";

/**
 * A 64-bit amount of nano-dollars. It is written as bigint or decimal text, and read as text by a cast in the query.
 */
type Money = ColumnType<never, bigint | string, bigint | string>;
/** A sum of units, 0 by default. It is read as text by a cast in the query. */
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
  /** JSON of the usage event as it was received. The hash of its receipt was computed from this text. */
  event: string;
}

/**
 * Id and position of each call. An id occurs once per account, regardless of the call's time. Calls are found here by
 * the request id of the gateway or of the vendor ("" if the vendor returned none), without a scan of every day.
 */
export interface CallIdsTable {
  account: string;
  id: string;
  at: number;
  request: string;
  upstream: string;
}

/**
 * An additional receipt of a call or credit: the receipt of a second settlement (by a Redis that had lost the first
 * one), or a receipt that was replaced.
 */
export interface OtherReceiptsTable {
  account: string;
  hash: string;
  call: string;
  /** Time of the call in Unix ms. */
  at: number;
  /** JSON of the usage event of a second settlement; "" for a replaced receipt. */
  event: string;
  /** 1 if the charge was refunded, or if there is nothing to refund; otherwise 0. */
  refunded: number;
  /** Id of the operation that refunds the charge. */
  operation: string;
  /** JSON of the event with the replaced receipt; "" for a second settlement, or if the event is unknown. */
  former: ColumnType<string, string | undefined, string>;
}

/** Sums of the calls of one account and one hour or day. Each unit has a column. */
export interface TotalsTable extends Record<UnitMeasure, Sum> {
  account: string;
  /** Beginning of the hour or day in Unix ms. */
  period: number;
  token: string;
  model: string;
  channel: string;
  outcome: string;
  calls: ColumnType<number, number, number>;
  cost: Money;
}

/** Sums of the calls of one account and day with the same labels. Calls without labels are not included. */
export interface LabelledTotalsTable extends TotalsTable {
  /** JSON object of the labels by name (`labelsText`). */
  labels: string;
}

/** Sums of the calls of one account and day with the same value of a tag. A few rows represent many calls. */
export interface DailyTagTotalsTable extends Record<UnitMeasure, Sum> {
  account: string;
  /** Beginning of the day in Unix ms. */
  period: number;
  /** `tag:` and the name of the tag. */
  name: string;
  value: string;
  outcome: string;
  calls: ColumnType<number, number, number>;
  cost: Money;
}

/** Number of completed calls of one account and hour, by ranges of the time to the first byte (`first-bytes.ts`). */
export interface FirstBytesTable {
  account: string;
  /** Beginning of the hour in Unix ms. */
  period: number;
  model: string;
  channel: string;
  /** Number of the range. */
  bucket: number;
  calls: ColumnType<number, number, number>;
}

/** Same counts as in `FirstBytesTable`, but by day, so that the most frequent query does not add up hours. */
export interface DailyFirstBytesTable extends FirstBytesTable {}

/** Same counts as in `DailyFirstBytesTable`, but for calls with the same value of a tag. */
export interface DailyTagFirstBytesTable extends Pick<FirstBytesTable, "account" | "period" | "bucket" | "calls"> {
  name: string;
  value: string;
}

/** A label of a call: its name is `endUser`, or `tag:` and the name of a tag. */
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

/** An account: its name, its last receipt, and the sums of its credits and of its chain. */
export interface AccountsTable {
  account: string;
  /** Number of the last receipt; 0 if there is none. */
  receipts: number;
  head: string;
  balance: Money;
  name: ColumnType<string, string | undefined, string>;
  /** Creation time (RFC 3339); "" if only calls of the account are known. */
  created: ColumnType<string, string | undefined, string>;
  /** 1 if Redis contains the account, otherwise 0. */
  projected: ColumnType<number, number | undefined, number>;
  /** Sum in nano-dollars of the credits that Redis has applied. */
  credited: Sum;
  /**
   * Sum of the steps of the account's receipts (`chainStep`), and the link of `head` (`tip`). They are equal if the
   * chain is complete.
   */
  chain: ColumnType<number, number | undefined, number>;
  tip: ColumnType<number, number | undefined, number>;
  /** Organisation of the account; "" if it belongs to none. */
  organisation: ColumnType<string, string | undefined, string>;
  /** 1 if calls of the account's keys are refused, otherwise 0. */
  disabled: ColumnType<number, number | undefined, number>;
  /** Number of changes of `name` and `disabled`. */
  version: ColumnType<number, number | undefined, number>;
}

/** An API key of an account. Only the SHA-256 of the key is stored. */
export interface TokensTable {
  account: string;
  token: string;
  digest: string;
  /** Number of changes of the token. */
  version: number;
  /** Version of the token in Redis; 0 if Redis does not contain it. */
  projected: number;
  /** JSON of the token. */
  record: string;
  /** JSON of the keys that rotations have replaced, newest first. */
  replaced: ColumnType<string, string | undefined, string>;
  /** Team of the token; "" if it has none. */
  team: ColumnType<string, string | undefined, never>;
  /** Time of the deletion (RFC 3339); "" if the token exists. */
  deleted: ColumnType<string, string | undefined, string>;
}

/** Budgets of an account, including those of its organisation; or the budgets of an organisation. */
export interface BudgetsTable {
  /** Account, or the scope of an organisation (`organisationScope`). */
  account: string;
  /** Number of changes. */
  version: number;
  /** Version in Redis; 0 if Redis does not contain it. The row of an organisation is not written to Redis. */
  projected: number;
  /** JSON of the budgets. */
  record: string;
}

/** A change by an operator: its author and time, and the state before and after it. The states contain no secrets. */
export interface AuditTable {
  account: string;
  at: number;
  id: string;
  actor: string;
  action: string;
  before: string;
  after: string;
  /** Number of the entry in the chain of all entries, from 1 on, and its hash (`audit-chain.ts`). */
  number: number;
  hash: string;
}

/** A signed head of a chain (`anchors.ts`). */
export interface AnchorsTable {
  /** Account of the chain; "" for the audit. */
  account: string;
  number: number;
  head: string;
  /** Balance after this receipt, in nano-dollars as decimal text. */
  balance: string;
  /** Creation time of the account (RFC 3339); "" for the audit. */
  created: string;
  /** Time of the signature in Unix ms. */
  at: number;
  signature: string;
}

/**
 * Restoration of an account: calls and credits that Redis had lost and that were applied to the balance again, or the
 * refund of a call that was settled twice.
 */
export interface RestorationsTable {
  account: string;
  at: number;
  id: string;
  reason: string;
  calls: number;
  nanos: Money;
}

/** A mark: a value that all ledgers share. */
export interface MarksTable {
  name: string;
  value: string;
}

/** A video task in the state of its last event. */
export interface TasksTable {
  account: string;
  task: string;
  /** Time of the last event in Unix ms. */
  at: number;
  state: string;
  model: string;
  channel: string;
  /** JSON of the last event, without the encrypted record. */
  event: string;
  /** Encrypted record from which the video service can restore the task; "" if an earlier version wrote the event. */
  record: ColumnType<string, string | undefined, string>;
  /** Unix time in ms at which Redis may delete the task; 0 if the task cannot be restored. */
  until: ColumnType<number, number | undefined, number>;
}

/**
 * A day of an account whose totals an earlier version kept in Redis, and whose totals exceeded its calls. The row
 * prevents adding the difference twice.
 */
export interface MovedDaysTable {
  account: string;
  day: number;
}

/** A version of the configuration. Its document refers to vendor keys by `kept:` and an id, and contains no secrets. */
export interface ConfigurationsTable {
  version: number;
  at: number;
  actor: string;
  note: string;
  /** YAML document. */
  document: string;
}

/** An encrypted vendor key to which versions of the configuration refer. */
export interface VendorKeysTable {
  id: string;
  at: number;
  sealed: string;
}

/** An operator of the gateway or a member of an account, as JSON. */
export interface OperatorsTable {
  name: string;
  record: string;
}

/** An organisation, to which teams and accounts belong. */
export interface OrganisationsTable {
  id: string;
  name: string;
  /** Creation time (RFC 3339). */
  created: string;
}

/** A team of an organisation, with the account that pays for it. */
export interface TeamsTable extends OrganisationsTable {
  organisation: string;
  account: string;
}

/** Role of a person in a team; in the whole organisation if `team` is "". */
export interface MembershipsTable {
  organisation: string;
  person: string;
  team: string;
  role: string;
}

/** A key for automation: the SHA-256 of its secret, and its permissions as JSON. */
export interface OperatorKeysTable {
  id: string;
  digest: string;
  record: string;
}

/** A call that was refused before money was reserved for it. */
export interface RefusedCallsTable {
  account: string;
  at: number;
  id: string;
  request: string;
  token: string;
  /** Name of the model; "" if unknown. */
  model: string;
  status: number;
  /** JSON of the call. */
  call: string;
  /** Number of later refused calls of the account that are only counted here. */
  left_out: number;
}

/**
 * An alert (`Alert` in the contracts). Its primary key prevents a second alert of the same kind, account, subject and
 * period.
 */
export interface AlertsTable {
  account: string;
  kind: Alert["kind"];
  subject: string;
  period: string;
  id: string;
  at: number;
  severity: Alert["severity"];
  summary: string;
  /** JSON of the details. */
  details: string;
  /** 1 while the condition of the alert lasts; otherwise 0. */
  open: number;
}

/** A target of alerts. */
export interface AlertTargetsTable {
  id: string;
  account: string;
  kind: AlertTargetKind;
  at: number;
  /** JSON of the target, without its secret part. */
  record: string;
  /** Encrypted secret part (`AlertTargetSecret`). */
  sealed: string;
}

/** Delivery of an alert to a target. Times are Unix ms. */
export interface AlertDeliveriesTable {
  alert: string;
  target: string;
  /** Time from which on attempts are made. */
  since: number;
  /** Time of the next attempt. */
  next: number;
  tries: number;
  state: AlertDelivery["state"];
  error: string;
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
  budgets: BudgetsTable;
  audit: AuditTable;
  anchors: AnchorsTable;
  restorations: RestorationsTable;
  marks: MarksTable;
  configurations: ConfigurationsTable;
  vendor_keys: VendorKeysTable;
  operators: OperatorsTable;
  organisations: OrganisationsTable;
  teams: TeamsTable;
  memberships: MembershipsTable;
  operator_keys: OperatorKeysTable;
  alerts: AlertsTable;
  alert_targets: AlertTargetsTable;
  alert_deliveries: AlertDeliveriesTable;
}

export type CallRow = Insertable<CallsTable>;
export type TotalsRow = Insertable<TotalsTable>;
export type LabelledTotalsRow = Insertable<LabelledTotalsTable>;
