import { sql, type RawBuilder } from "kysely";
import { readUsageEvent, type UsageDraft, type UsageEvent } from "@modelgate/contracts";
import type { Label } from "./labels.ts";
import type { Books } from "./open.ts";
import { readCallsAt, type CallPosition, type StoredCall } from "./read-positions.ts";

/** Filter of calls. Absent members do not filter. */
export interface CallFilter {
  /** Period in Unix ms, without `to`. */
  readonly from: number;
  readonly to: number;
  readonly account?: string | undefined;
  readonly organisation?: string | undefined;
  /**
   * Teams: the key must belong to one of them. Needs `organisation` or `account`, because team ids are unique only
   * within an organisation.
   */
  readonly teams?: readonly string[] | undefined;
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly outcome?: string | undefined;
  readonly status?: number | undefined;
  /** Request id of the gateway or of the vendor. */
  readonly requestId?: string | undefined;
  /** Labels that a call must have. */
  readonly labels?: readonly Label[] | undefined;
}

export type CallOrder = "oldest first" | "newest first";

/** A page of calls. `next` is set if more may follow. */
export interface CallPage {
  readonly events: readonly UsageEvent[];
  readonly next?: CallPosition;
}

/** Order, size and start of a page of calls. */
export interface CallPageOptions {
  readonly order: CallOrder;
  readonly limit: number;
  readonly after?: CallPosition | undefined;
}

/** Number of positions per query of an index, if further conditions apply. */
const positionsPerQuery = 1_000;

/** Reads a page of calls, ordered by time. */
export async function readCalls(books: Books, filter: CallFilter, options: CallPageOptions): Promise<CallPage> {
  const index = indexFor(filter, options);
  const rows =
    index === undefined ? await readRows(books, filter, options) : await readAtPositions(books, filter, options, index);
  const page = rows.slice(0, options.limit);
  const last = page.at(-1);
  const events = page.map(({ event }) => readUsageEvent(event));
  if (last === undefined || page.length < options.limit) return { events };
  return { events, next: { at: last.at, account: last.account, id: last.id } };
}

async function readRows({ db }: Books, filter: CallFilter, options: CallPageOptions): Promise<readonly StoredCall[]> {
  const where = [...periodConditions("calls", filter, options), ...columnConditions(filter)];
  const { rows } = await sql<StoredCall>`
    select at, account, id, event from calls where ${sql.join(where, sql` and `)}
    order by ${orderBy("calls", filter, options)} limit ${options.limit}`.execute(db);
  return rows;
}

/** An index of calls: a query for positions, and the conditions that it does not cover. */
interface CallIndex {
  readonly positions: (after: CallPosition | undefined, limit: number) => RawBuilder<CallPosition>;
  readonly conditions: readonly RawBuilder<unknown>[];
}

/** Returns the index for a request id or a label; undefined for other filters. */
function indexFor(filter: CallFilter, options: CallPageOptions): CallIndex | undefined {
  const { labels = [], requestId } = filter;
  const [first, ...others] = labels;
  if (requestId !== undefined) {
    const conditions = [...columnConditions(filter), ...labels.map((label) => labelCondition(label))];
    return {
      conditions,
      positions: (after, limit) => positionsByRequestId(requestId, filter, { ...options, after, limit }),
    };
  }
  if (first === undefined) return undefined;
  const conditions = [...columnConditions(filter), ...others.map((label) => labelCondition(label))];
  const labelConditions = [sql`name = ${first.name}`, sql`value = ${first.value}`];
  return {
    conditions,
    positions: (after, limit) => positionsIn("call_labels", labelConditions, filter, { ...options, after, limit }),
  };
}

/** Selects calls by a request id of the gateway or of the vendor. */
function positionsByRequestId(
  requestId: string,
  filter: CallFilter,
  options: CallPageOptions,
): RawBuilder<CallPosition> {
  const positionsBy = (column: string): RawBuilder<CallPosition> =>
    positionsIn("call_ids", [sql`${sql.ref(column)} = ${requestId}`, sql`${sql.ref(column)} <> ''`], filter, options);
  return sql`select at, account, id from (
      select * from (${positionsBy("request")}) as ours union select * from (${positionsBy("upstream")}) as theirs
    ) as found order by ${orderBy("found", filter, options)} limit ${options.limit}`;
}

function positionsIn(
  table: string,
  indexConditions: readonly RawBuilder<unknown>[],
  filter: CallFilter,
  options: CallPageOptions,
): RawBuilder<CallPosition> {
  const account = filter.account === undefined ? [] : [sql`account = ${filter.account}`];
  const where = [...indexConditions, ...account, ...periodConditions(table, filter, options)];
  return sql`select at, account, id from ${sql.table(table)} where ${sql.join(where, sql` and `)}
    order by ${orderBy(table, filter, options)} limit ${options.limit}`;
}

/**
 * Reads positions from an index, then their calls, until a page is full. With a join, PostgreSQL would sort all calls
 * of the index.
 */
async function readAtPositions(
  { db }: Books,
  filter: CallFilter,
  options: CallPageOptions,
  { positions, conditions }: CallIndex,
): Promise<readonly StoredCall[]> {
  const batch = conditions.length === 0 ? options.limit : Math.max(options.limit, positionsPerQuery);
  const result: StoredCall[] = [];
  for (let { after } = options; ;) {
    const { rows } = await positions(after, batch).execute(db);
    const calls = new Map((await readCallsAt(db, rows, conditions)).map((call) => [positionName(call), call]));
    result.push(...rows.flatMap((position) => calls.get(positionName(position)) ?? []));
    after = rows.at(-1);
    if (result.length >= options.limit || rows.length < batch) return result;
  }
}

function positionName({ at, account, id }: CallPosition): string {
  return `${at} ${account} ${id}`;
}

function labelCondition({ name, value }: Label): RawBuilder<unknown> {
  return sql`exists (select 1 from call_labels as other where other.account = calls.account and other.at = calls.at
    and other.id = calls.id and other.name = ${name} and other.value = ${value})`;
}

function periodConditions(
  table: string,
  filter: CallFilter,
  { order, after }: CallPageOptions,
): readonly RawBuilder<unknown>[] {
  const at = sql.ref(`${table}.at`);
  const period = [sql`${at} >= ${filter.from}`, sql`${at} < ${filter.to}`];
  if (after === undefined) return period;
  const columns = orderColumns(filter);
  const position = sql.join(columns.map((column) => sql.ref(`${table}.${column}`)));
  return [
    ...period,
    // PostgreSQL skips partitions only by a simple comparison of the time.
    sql`${at} ${sql.raw(order === "oldest first" ? ">=" : "<=")} ${after.at}`,
    sql`(${position}) ${sql.raw(order === "oldest first" ? ">" : "<")} (${sql.join(columns.map((column) => after[column]))})`,
  ];
}

/** Returns the columns by which a page is ordered. */
function orderColumns({ account }: CallFilter): readonly (keyof CallPosition)[] {
  return account === undefined ? ["at", "account", "id"] : ["at", "id"];
}

function orderBy(table: string, filter: CallFilter, { order }: CallPageOptions): RawBuilder<unknown> {
  const direction = sql.raw(order === "oldest first" ? "asc" : "desc");
  return sql.join(orderColumns(filter).map((column) => sql`${sql.ref(`${table}.${column}`)} ${direction}`));
}

/** Returns the conditions for an organisation and its teams, for a table with `account` and `token`. */
export function ownerConditions(
  table: string,
  { organisation, teams }: Pick<CallFilter, "organisation" | "teams">,
): readonly RawBuilder<unknown>[] {
  const [account, token] = [sql.ref(`${table}.account`), sql.ref(`${table}.token`)];
  return [
    ...(organisation === undefined
      ? []
      : [sql`${account} in (select account from accounts where organisation = ${organisation})`]),
    ...(teams === undefined
      ? []
      : [sql`${token} in (select token from tokens where team in (${sql.join(["", ...teams])}) and team <> '')`]),
  ];
}

function columnConditions(filter: CallFilter): readonly RawBuilder<unknown>[] {
  const columns = (["account", "token", "model", "channel", "outcome", "status"] as const).map(
    (column) => [column, filter[column]] as const,
  );
  return [
    ...ownerConditions("calls", filter),
    ...columns.flatMap(([column, value]) =>
      value === undefined ? [] : [sql`${sql.ref(`calls.${column}`)} = ${value}`],
    ),
    // The conditions of the partial indexes, in a form that both engines recognise.
    ...(filter.status === undefined || filter.status === 200 ? [] : [sql`calls.status <> 200`]),
    ...(filter.outcome === undefined || filter.outcome === "completed" ? [] : [sql`calls.outcome <> 'completed'`]),
  ];
}

/** Returns whether the books contain a call with this id. */
export async function hasCall({ db }: Books, { accountId, id }: UsageDraft): Promise<boolean> {
  const row = await db
    .selectFrom("call_ids")
    .select("id")
    .where("account", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}
