import { sql, type SelectQueryBuilder } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";
import type { Tables } from "./schema.ts";

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
  readonly requestId?: string | undefined;
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

/** A page of the log over all accounts, in the order of time. */
export async function readCalls(
  books: Books,
  filter: CallFilter,
  {
    order,
    limit,
    after,
  }: { readonly order: CallOrder; readonly limit: number; readonly after?: CallPlace | undefined },
): Promise<CallPage> {
  const [direction, beyond] = order === "oldest first" ? (["asc", ">"] as const) : (["desc", "<"] as const);
  let query = narrowed(books.db.selectFrom("calls").select(["at", "account", "id", "event"]), filter);
  if (after !== undefined)
    query = query
      // Said apart as well: only a plain bound leaves out the partitions of other days.
      .where("at", order === "oldest first" ? ">=" : "<=", after.at)
      .where(sql<boolean>`(at, account, id) ${sql.raw(beyond)} (${after.at}, ${after.account}, ${after.id})`);
  const rows = await query
    .orderBy("at", direction)
    .orderBy("account", direction)
    .orderBy("id", direction)
    .limit(limit)
    .execute();
  const last = rows.at(-1);
  const events = rows.map(({ event }): UsageEvent => JSON.parse(event));
  if (last === undefined || rows.length < limit) return { events };
  return { events, next: { at: last.at, account: last.account, id: last.id } };
}

type Calls<Row> = SelectQueryBuilder<Tables, "calls", Row>;

function narrowed<Row>(query: Calls<Row>, filter: CallFilter): Calls<Row> {
  let calls = query.where("at", ">=", filter.from).where("at", "<", filter.to);
  for (const column of ["account", "token", "model", "channel", "outcome", "status"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) calls = calls.where(column, "=", wanted);
  }
  return filter.requestId === undefined ? calls : calls.where("request", "=", filter.requestId);
}
