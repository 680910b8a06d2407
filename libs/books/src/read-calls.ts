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

interface Row extends CallPlace {
  readonly event: string;
}

/** A page of the log over all accounts, in the order of time. */
export async function readCalls(
  { db }: Books,
  filter: CallFilter,
  {
    order,
    limit,
    after,
  }: { readonly order: CallOrder; readonly limit: number; readonly after?: CallPlace | undefined },
): Promise<CallPage> {
  const isOldestFirst = order === "oldest first";
  const { tables, led, where } = chosen(filter, await answeredAs(db, filter));
  const place = ["at", "account", "id"].map((column) => sql.ref(`${led}.${column}`));
  if (after !== undefined) {
    // Said apart as well: only a plain bound leaves out the partitions of other days.
    where.push(sql`calls.at ${sql.raw(isOldestFirst ? ">=" : "<=")} ${after.at}`);
    const beyond = sql.raw(isOldestFirst ? ">" : "<");
    where.push(sql`(${sql.join(place)}) ${beyond} (${after.at}, ${after.account}, ${after.id})`);
  }
  const ordered = place.map((column) => sql`${column} ${sql.raw(isOldestFirst ? "asc" : "desc")}`);
  const { rows } = await sql<Row>`
    select calls.at, calls.account, calls.id, calls.event from ${tables} where ${sql.join(where, sql` and `)}
    order by ${sql.join(ordered)} limit ${limit}`.execute(db);
  const last = rows.at(-1);
  const events = rows.map(({ event }) => readEvent(event));
  if (last === undefined || rows.length < limit) return { events };
  return { events, next: { at: last.at, account: last.account, id: last.id } };
}

/** The tables that a filter is read from, the one of them that leads through the order, and its conditions. */
interface Chosen {
  readonly tables: RawBuilder<unknown>;
  readonly led: string;
  readonly where: RawBuilder<unknown>[];
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

/** Calls with a label are found by the first of their labels: its index is in the order of the log. */
function chosen({ from, to, requestId, labels = [], ...wanted }: CallFilter, answered: readonly CallPlace[]): Chosen {
  const led = labels.length === 0 ? "calls" : "label_0";
  const columns = (["account", "token", "model", "channel", "outcome", "status"] as const).map(
    (column) => [column, wanted[column]] as const,
  );
  const joined = labels.map(({ name, value }, place) => {
    const label = (column: string) => sql.ref(`label_${place}.${column}`);
    return sql`join ${sql.table("call_labels")} as ${sql.ref(`label_${place}`)}
      on ${label("account")} = calls.account and ${label("at")} = calls.at and ${label("id")} = calls.id
      and ${label("name")} = ${name} and ${label("value")} = ${value}
      and ${label("at")} >= ${from} and ${label("at")} < ${to}`;
  });
  return {
    tables: sql`calls ${sql.join(joined, sql` `)}`,
    led,
    where: [
      sql`calls.at >= ${from}`,
      sql`calls.at < ${to}`,
      ...columns.flatMap(([column, value]) =>
        value === undefined ? [] : [sql`${sql.ref(`calls.${column}`)} = ${value}`],
      ),
      ...(requestId === undefined ? [] : [sql`(${sql.join(isOneOf(requestId, answered), sql` or `)})`]),
      // What the indexes of calls that did not end well are of, in words that both planners know again.
      ...(wanted.status === undefined || wanted.status === 200 ? [] : [sql`calls.status <> 200`]),
      ...(wanted.outcome === undefined || wanted.outcome === "completed" ? [] : [sql`calls.outcome <> 'completed'`]),
    ],
  };
}
