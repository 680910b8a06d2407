import { sql, type RawBuilder } from "kysely";
import { readUsageEvent, type UsageDraft, type UsageEvent } from "@modelgate/contracts";
import type { Label } from "./labels.ts";
import type { Books } from "./open.ts";
import { eventsAt, type CallPosition, type StoredCall } from "./read-positions.ts";

/** Filter of calls. Absent members do not filter. */
export interface CallFilter {
  /** Unix ms; `from` is inclusive, `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly account?: string | undefined;
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly outcome?: string | undefined;
  readonly status?: number | undefined;
  /** Request id of the gateway, or of the vendor. */
  readonly requestId?: string | undefined;
  /** End user and tags; a call must have all of them. */
  readonly labels?: readonly Label[] | undefined;
}

export type CallOrder = "oldest first" | "newest first";

/** A page of calls; `next` is set if more may follow. */
export interface CallPage {
  readonly events: readonly UsageEvent[];
  readonly next?: CallPosition;
}

/** Order and limits of reading the log. */
export interface CallReading {
  readonly order: CallOrder;
  readonly limit: number;
  readonly after?: CallPosition | undefined;
}

/** Positions of one index that are read together if other conditions apply too. */
const placesAtOnce = 1_000;

/** Reads a page of the log over all accounts, ordered by time. */
export async function readCalls(books: Books, filter: CallFilter, reading: CallReading): Promise<CallPage> {
  const source = sourceOf(filter, reading);
  const rows =
    source === undefined
      ? await readRows(books, filter, reading)
      : await readAtPositions(books, filter, reading, source);
  const page = rows.slice(0, reading.limit);
  const last = page.at(-1);
  const events = page.map(({ event }) => readUsageEvent(event));
  if (last === undefined || page.length < reading.limit) return { events };
  return { events, next: { at: last.at, account: last.account, id: last.id } };
}

async function readRows({ db }: Books, filter: CallFilter, reading: CallReading): Promise<readonly StoredCall[]> {
  const where = [...within("calls", filter, reading), ...narrowed(filter)];
  const { rows } = await sql<StoredCall>`
    select at, account, id, event from calls where ${sql.join(where, sql` and `)}
    order by ${inOrder("calls", filter, reading)} limit ${reading.limit}`.execute(db);
  return rows;
}

/** An index with the positions of calls in the order of the log: positions per query, and the remaining conditions. */
interface CallSource {
  readonly positions: (after: CallPosition | undefined, limit: number) => RawBuilder<CallPosition>;
  readonly wanted: readonly RawBuilder<unknown>[];
}

/** Returns the table in which calls with a request id, or with a label, are looked up; undefined: the log. */
function sourceOf(filter: CallFilter, reading: CallReading): CallSource | undefined {
  const { labels = [], requestId } = filter;
  const [first, ...others] = labels;
  if (requestId !== undefined) {
    const wanted = [...narrowed(filter), ...labels.map((label) => hasLabel(label))];
    return { wanted, positions: (after, limit) => positionsOf(requestId, filter, { ...reading, after, limit }) };
  }
  if (first === undefined) return undefined;
  const wanted = [...narrowed(filter), ...others.map((label) => hasLabel(label))];
  const is = [sql`name = ${first.name}`, sql`value = ${first.value}`];
  return {
    wanted,
    positions: (after, limit) => positionsIn("call_labels", is, filter, { ...reading, after, limit }),
  };
}

/** Selects positions by a request id of the gateway or of the vendor, each from a separate index. */
function positionsOf(requestId: string, filter: CallFilter, reading: CallReading): RawBuilder<CallPosition> {
  const one = (column: string): RawBuilder<CallPosition> =>
    positionsIn("call_ids", [sql`${sql.ref(column)} = ${requestId}`, sql`${sql.ref(column)} <> ''`], filter, reading);
  return sql`select at, account, id from (
      select * from (${one("request")}) as ours union select * from (${one("upstream")}) as theirs
    ) as found order by ${inOrder("found", filter, reading)} limit ${reading.limit}`;
}

function positionsIn(
  table: string,
  is: readonly RawBuilder<unknown>[],
  filter: CallFilter,
  reading: CallReading,
): RawBuilder<CallPosition> {
  const account = filter.account === undefined ? [] : [sql`account = ${filter.account}`];
  const where = [...is, ...account, ...within(table, filter, reading)];
  return sql`select at, account, id from ${sql.table(table)} where ${sql.join(where, sql` and `)}
    order by ${inOrder(table, filter, reading)} limit ${reading.limit}`;
}

/**
 * Reads calls through an index: first positions in the order of the log, then those calls, batch by batch until the
 * calls that meet the other conditions fill the page. With a join PostgreSQL would read and sort every call in the
 * index.
 */
async function readAtPositions(
  { db }: Books,
  filter: CallFilter,
  reading: CallReading,
  { positions, wanted }: CallSource,
): Promise<readonly StoredCall[]> {
  const batch = wanted.length === 0 ? reading.limit : Math.max(reading.limit, placesAtOnce);
  const found: StoredCall[] = [];
  for (let { after } = reading; ;) {
    const { rows } = await positions(after, batch).execute(db);
    const calls = new Map((await eventsAt(db, rows, wanted)).map((call) => [positionName(call), call]));
    found.push(...rows.flatMap((position) => calls.get(positionName(position)) ?? []));
    after = rows.at(-1);
    if (found.length >= reading.limit || rows.length < batch) return found;
  }
}

function positionName({ at, account, id }: CallPosition): string {
  return `${at} ${account} ${id}`;
}

function hasLabel({ name, value }: Label): RawBuilder<unknown> {
  return sql`exists (select 1 from call_labels as other where other.account = calls.account and other.at = calls.at
    and other.id = calls.id and other.name = ${name} and other.value = ${value})`;
}

/** Returns the conditions for the period of the query, from the position where the reading continues. */
function within(table: string, filter: CallFilter, { order, after }: CallReading): readonly RawBuilder<unknown>[] {
  const at = sql.ref(`${table}.at`);
  const period = [sql`${at} >= ${filter.from}`, sql`${at} < ${filter.to}`];
  if (after === undefined) return period;
  const columns = columnsOf(filter);
  const position = sql.join(columns.map((column) => sql.ref(`${table}.${column}`)));
  return [
    ...period,
    // Repeated as a separate condition: PostgreSQL skips partitions of other days only by a simple bound.
    sql`${at} ${sql.raw(order === "oldest first" ? ">=" : "<=")} ${after.at}`,
    sql`(${position}) ${sql.raw(order === "oldest first" ? ">" : "<")} (${sql.join(columns.map((column) => after[column]))})`,
  ];
}

/** Returns the columns that order the log; for one account they are the rest of its key. */
function columnsOf({ account }: CallFilter): readonly (keyof CallPosition)[] {
  return account === undefined ? ["at", "account", "id"] : ["at", "id"];
}

function inOrder(table: string, filter: CallFilter, { order }: CallReading): RawBuilder<unknown> {
  const direction = sql.raw(order === "oldest first" ? "asc" : "desc");
  return sql.join(columnsOf(filter).map((column) => sql`${sql.ref(`${table}.${column}`)} ${direction}`));
}

/** Returns the conditions on a call other than its time, request and labels. */
function narrowed(wanted: CallFilter): readonly RawBuilder<unknown>[] {
  const columns = (["account", "token", "model", "channel", "outcome", "status"] as const).map(
    (column) => [column, wanted[column]] as const,
  );
  return [
    ...columns.flatMap(([column, value]) =>
      value === undefined ? [] : [sql`${sql.ref(`calls.${column}`)} = ${value}`],
    ),
    // The conditions of the partial indexes, written so that both planners recognise them.
    ...(wanted.status === undefined || wanted.status === 200 ? [] : [sql`calls.status <> 200`]),
    ...(wanted.outcome === undefined || wanted.outcome === "completed" ? [] : [sql`calls.outcome <> 'completed'`]),
  ];
}

/** Returns whether the books contain a call, with any outcome. */
export async function hasCall({ db }: Books, { accountId, id }: UsageDraft): Promise<boolean> {
  const found = await db
    .selectFrom("call_ids")
    .select("id")
    .where("account", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return found !== undefined;
}
