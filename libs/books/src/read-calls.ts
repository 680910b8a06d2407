import { sql, type RawBuilder } from "kysely";
import { stored, UsageEvent } from "@modelgate/contracts";
import { upstreamRequestName, type Label } from "./labels.ts";
import type { Books } from "./open.ts";

const readEvent = stored("usage event", UsageEvent);

/** Which calls are asked for; what is absent narrows nothing. */
export interface CallFilter {
  /** Unix ms; `from` is included, `to` is not. */
  readonly from: number;
  readonly to: number;
  readonly account?: string | undefined;
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly outcome?: string | undefined;
  readonly status?: number | undefined;
  /** The gateway's id of the request, or the vendor's. */
  readonly requestId?: string | undefined;
  /** The end user and tags that a call must have, all of them. */
  readonly labels?: readonly Label[] | undefined;
}

/** Where a call stands in the log: a reading goes on after it. */
export interface CallPlace {
  readonly at: number;
  readonly account: string;
  readonly id: string;
}

export type CallOrder = "oldest first" | "newest first";

/** Calls of one reading; `next` is there where more may follow. */
export interface CallPage {
  readonly events: readonly UsageEvent[];
  readonly next?: CallPlace;
}

/** How a reading goes through the log. */
export interface CallReading {
  readonly order: CallOrder;
  readonly limit: number;
  readonly after?: CallPlace | undefined;
}

interface Row extends CallPlace {
  /** Null: the call is not one of those that are asked for. */
  readonly event: string | null;
}

/** Calls with a label that are looked at together where more than that is asked of them. */
const labelledAtOnce = 1_000;

/** A page of the log over all accounts, in the order of time. */
export async function readCalls(books: Books, filter: CallFilter, reading: CallReading): Promise<CallPage> {
  const rows =
    filter.labels?.[0] === undefined
      ? await readRows(books, filter, reading)
      : await readLabelled(books, filter, reading);
  const page = rows.slice(0, reading.limit);
  const last = page.at(-1);
  const events = page.flatMap(({ event }): readonly UsageEvent[] => (event === null ? [] : [readEvent(event)]));
  if (last === undefined || page.length < reading.limit) return { events };
  return { events, next: { at: last.at, account: last.account, id: last.id } };
}

async function readRows({ db }: Books, filter: CallFilter, reading: CallReading): Promise<readonly Row[]> {
  const where = [...within("calls", filter, reading), ...narrowed(filter, await answeredAs(db, filter))];
  const { rows } = await sql<Row>`
    select at, account, id, event from calls where ${sql.join(where, sql` and `)}
    order by ${inOrder("calls", reading)} limit ${reading.limit}`.execute(db);
  return rows;
}

/**
 * Calls with a label: their places are read first, from an index that is in the order of the log, and what else is asked
 * of them is looked at batch by batch. As one join PostgreSQL read and sorted every call of the label.
 */
async function readLabelled({ db }: Books, filter: CallFilter, reading: CallReading): Promise<readonly Row[]> {
  const [{ name, value } = { name: "", value: "" }, ...others] = filter.labels ?? [];
  const wanted = [...narrowed(filter, await answeredAs(db, filter)), ...others.map((label) => hasLabel(label))];
  const batch = wanted.length === 0 ? reading.limit : Math.max(reading.limit, labelledAtOnce);
  const found: Row[] = [];
  for (let { after } = reading; ;) {
    const where = [
      sql`name = ${name}`,
      sql`value = ${value}`,
      ...(filter.account === undefined ? [] : [sql`account = ${filter.account}`]),
      ...within("call_labels", filter, { ...reading, after }),
    ];
    const { rows } = await sql<Row>`
      select page.at, page.account, page.id,
        case when ${sql.join([sql`1 = 1`, ...wanted], sql` and `)} then calls.event end as event
      from (select at, account, id from call_labels where ${sql.join(where, sql` and `)}
        order by ${inOrder("call_labels", reading)} limit ${batch}) as page
      left join calls on calls.account = page.account and calls.at = page.at and calls.id = page.id
      order by ${inOrder("page", reading)}`.execute(db);
    found.push(...rows.filter(({ event }) => event !== null));
    after = rows.at(-1);
    if (found.length >= reading.limit || rows.length < batch) return found;
  }
}

function hasLabel({ name, value }: Label): RawBuilder<unknown> {
  return sql`exists (select 1 from call_labels as other where other.account = calls.account and other.at = calls.at
    and other.id = calls.id and other.name = ${name} and other.value = ${value})`;
}

/** The time that is asked for, from where the reading goes on. */
function within(
  table: string,
  { from, to }: CallFilter,
  { order, after }: CallReading,
): readonly RawBuilder<unknown>[] {
  const at = sql.ref(`${table}.at`);
  const period = [sql`${at} >= ${from}`, sql`${at} < ${to}`];
  if (after === undefined) return period;
  const place = sql.join(places.map((column) => sql.ref(`${table}.${column}`)));
  return [
    ...period,
    // Said apart as well: only a plain bound leaves out the partitions of other days.
    sql`${at} ${sql.raw(order === "oldest first" ? ">=" : "<=")} ${after.at}`,
    sql`(${place}) ${sql.raw(order === "oldest first" ? ">" : "<")} (${after.at}, ${after.account}, ${after.id})`,
  ];
}

const places = ["at", "account", "id"] as const;

function inOrder(table: string, { order }: CallReading): RawBuilder<unknown> {
  const direction = sql.raw(order === "oldest first" ? "asc" : "desc");
  return sql.join(places.map((column) => sql`${sql.ref(`${table}.${column}`)} ${direction}`));
}

/** Most calls that are found by one id of a vendor: it gives each to one call, unless it gives none of its own. */
const mostOfOneId = 1_000;

/** The calls whose vendors gave the id that is looked for: it may be the gateway's or the vendor's. */
async function answeredAs(db: Books["db"], { from, to, requestId }: CallFilter): Promise<readonly CallPlace[]> {
  if (requestId === undefined) return [];
  return await db
    .selectFrom("call_labels")
    .select(["account", "at", "id"])
    .where("name", "=", upstreamRequestName)
    .where("value", "=", requestId)
    .where("at", ">=", from)
    .where("at", "<", to)
    .limit(mostOfOneId)
    .execute();
}

/** A call's own id of the request, or one of the calls' places: each is found by an index. */
function isOneOf(requestId: string, answered: readonly CallPlace[]): readonly RawBuilder<unknown>[] {
  return [
    sql`calls.request = ${requestId}`,
    ...answered.map(
      ({ account, at, id }) => sql`(calls.account = ${account} and calls.at = ${at} and calls.id = ${id})`,
    ),
  ];
}

/** What is asked of a call beside its time and its labels. */
function narrowed(
  { requestId, ...wanted }: CallFilter,
  answered: readonly CallPlace[],
): readonly RawBuilder<unknown>[] {
  const columns = (["account", "token", "model", "channel", "outcome", "status"] as const).map(
    (column) => [column, wanted[column]] as const,
  );
  return [
    ...columns.flatMap(([column, value]) =>
      value === undefined ? [] : [sql`${sql.ref(`calls.${column}`)} = ${value}`],
    ),
    ...(requestId === undefined ? [] : [sql`(${sql.join(isOneOf(requestId, answered), sql` or `)})`]),
    // What the indexes of calls that did not end well are of, in words that both planners know again.
    ...(wanted.status === undefined || wanted.status === 200 ? [] : [sql`calls.status <> 200`]),
    ...(wanted.outcome === undefined || wanted.outcome === "completed" ? [] : [sql`calls.outcome <> 'completed'`]),
  ];
}
