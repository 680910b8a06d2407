import type { Alert, AlertDelivery, AlertTargetKind } from "@modelgate/contracts";
import type { ColumnType, Insertable } from "kysely";
import type { UnitMeasure } from "./measures.ts";

/** An amount in nano-dollars. Queries cast it to text, because it may exceed Number.MAX_SAFE_INTEGER. */
type Money = ColumnType<never, bigint | string, bigint | string>;
/** A sum of units. Queries cast it to text. */
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
  /** JSON of the usage event as received. Its receipt's hash was computed from this text. */
  event: string;
}

/** Position of each call by its id and request ids. An id is unique per account. */
export interface CallIdsTable {
  account: string;
  id: string;
  at: number;
  request: string;
  upstream: string;
}

/** A second settlement's receipt, or a replaced receipt. */
export interface OtherReceiptsTable {
  account: string;
  hash: string;
  call: string;
  at: number;
  /** JSON of the usage event of a second settlement; "" for a replaced receipt. */
  event: string;
  /** 1 if no refund is due. */
  refunded: number;
  operation: string;
  /** JSON of the event with a replaced receipt; "" if unknown. */
  former: ColumnType<string, string | undefined, string>;
}

/** Sums of the calls of one account and hour or day, with a column for each unit. */
export interface TotalsTable extends Record<UnitMeasure, Sum> {
  account: string;
  period: number;
  token: string;
  model: string;
  channel: string;
  outcome: string;
  calls: ColumnType<number, number, number>;
  cost: Money;
}

/** Sums of the calls of one account and day with the same labels. */
export interface LabelledTotalsTable extends TotalsTable {
  /** JSON object of the labels by name (`labelsText`). */
  labels: string;
}

/** Sums of the calls of one account and day with the same value of a tag. */
export interface DailyTagTotalsTable extends Record<UnitMeasure, Sum> {
  account: string;
  period: number;
  /** `tag:` and the name of the tag. */
  name: string;
  value: string;
  outcome: string;
  calls: ColumnType<number, number, number>;
  cost: Money;
}

/** Number of completed calls by account, hour and range of the time to the first byte (`first-bytes.ts`). */
export interface FirstBytesTable {
  account: string;
  period: number;
  model: string;
  channel: string;
  /** Number of the range. */
  bucket: number;
  calls: ColumnType<number, number, number>;
}

/** Counts as in `FirstBytesTable`, by day. */
export interface DailyFirstBytesTable extends FirstBytesTable {}

/** Counts as in `DailyFirstBytesTable`, by tag value. */
export interface DailyTagFirstBytesTable extends Pick<FirstBytesTable, "account" | "period" | "bucket" | "calls"> {
  name: string;
  value: string;
}

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

/** An account: its name, its last receipt, and sums of its credits and receipts. */
export interface AccountsTable {
  account: string;
  receipts: number;
  head: string;
  balance: Money;
  name: ColumnType<string, string | undefined, string>;
  /** Creation time (RFC 3339), or "" if unknown. */
  created: ColumnType<string, string | undefined, string>;
  /** 1 if Redis contains the account. */
  projected: ColumnType<number, number | undefined, number>;
  /** Sum of the applied credits in nano-dollars. */
  credited: Sum;
  /** Sum of the receipts' steps (`chainStep`), and the link of `head`. They are equal if the chain is complete. */
  chain: ColumnType<number, number | undefined, number>;
  tip: ColumnType<number, number | undefined, number>;
  /** Organisation of the account, or "". */
  organisation: ColumnType<string, string | undefined, string>;
  /** 1 if calls of the account's keys are refused. */
  disabled: ColumnType<number, number | undefined, number>;
  version: ColumnType<number, number | undefined, number>;
}

/** An API key of an account. */
export interface TokensTable {
  account: string;
  token: string;
  digest: string;
  version: number;
  /** Version of the token in Redis, or 0. */
  projected: number;
  record: string;
  /** JSON of replaced keys, newest first. */
  replaced: ColumnType<string, string | undefined, string>;
  /** Team of the token, or "". */
  team: ColumnType<string, string | undefined, never>;
  /** Time of the deletion (RFC 3339), or "". */
  deleted: ColumnType<string, string | undefined, string>;
}

/** Budgets of an account, with copies of its organisation's; or the budgets of an organisation. */
export interface BudgetsTable {
  /** Account, or the scope of an organisation (`organisationScope`). */
  account: string;
  version: number;
  /** Version in Redis, or 0. Lists of organisations are not written to Redis. */
  projected: number;
  record: string;
}

/** A change by an operator or member, without secrets. */
export interface AuditTable {
  account: string;
  at: number;
  id: string;
  actor: string;
  action: string;
  before: string;
  after: string;
  /** Number of the entry in the audit's chain (`audit-chain.ts`). */
  number: number;
  hash: string;
}

/** An anchor of an account or of the audit (`Anchor`). */
export interface AnchorsTable {
  /** Account of the chain; "" for the audit. */
  account: string;
  number: number;
  head: string;
  balance: string;
  created: string;
  at: number;
  signature: string;
}

/** A restoration of an account (`Restoration`). */
export interface RestorationsTable {
  account: string;
  at: number;
  id: string;
  reason: string;
  calls: number;
  nanos: Money;
}

/** A named value that all ledgers share. */
export interface MarksTable {
  name: string;
  value: string;
}

/** A video task in the state of its last event. */
export interface TasksTable {
  account: string;
  task: string;
  at: number;
  state: string;
  model: string;
  channel: string;
  /** JSON of the last event, without the encrypted record. */
  event: string;
  /** Encrypted record from which the task can be restored, or "". */
  record: ColumnType<string, string | undefined, string>;
  /** Unix time in ms until which clients can fetch the task; 0 if it cannot be restored. */
  until: ColumnType<number, number | undefined, number>;
  /** 1 if a client has deleted the task. `record` is then "". */
  deleted: ColumnType<number, number | undefined, number>;
}

/** A day whose totals in Redis exceeded the calls in the books. The row prevents adding the difference twice. */
export interface MovedDaysTable {
  account: string;
  day: number;
}

/** A version of the configuration. Its document refers to vendor keys by `kept:` and an id. */
export interface ConfigurationsTable {
  version: number;
  at: number;
  actor: string;
  note: string;
  document: string;
}

/** An encrypted vendor key. */
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
  created: string;
}

/** A team of an organisation, with the account that pays for it. */
export interface TeamsTable extends OrganisationsTable {
  organisation: string;
  account: string;
}

/** Role of a person in a team, or in the whole organisation if `team` is "". */
export interface MembershipsTable {
  organisation: string;
  person: string;
  team: string;
  role: string;
}

/** An automation key, with its permissions as JSON. */
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
  model: string;
  status: number;
  call: string;
  /** Number of later refused calls of the account that are only counted here. */
  left_out: number;
}

/** An alert. The primary key prevents a second one of the same kind, account, subject and period. */
export interface AlertsTable {
  account: string;
  kind: Alert["kind"];
  subject: string;
  period: string;
  id: string;
  at: number;
  severity: Alert["severity"];
  summary: string;
  details: string;
  /** 1 while the condition of the alert lasts. */
  open: number;
}

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
