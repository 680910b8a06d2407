import { sql, type Transaction } from "kysely";
import { RefusedCall, recordParser } from "@modelgate/contracts";
import { periodOf, totalsPeriods } from "./add-totals.ts";
import { ownerConditions, type CallFilter, type CallPage } from "./read-calls.ts";
import type { CallPosition } from "./read-positions.ts";
import type { Books } from "./open.ts";
import type { Tables } from "./schema.ts";

const hourMs = totalsPeriods.hourly_totals;
/** Number of refused calls per account and hour that are all stored. */
const alwaysStoredCount = 100;

const readCall = recordParser("refused call", RefusedCall);

/** A stored refused call. `calls` includes later calls that are counted but not stored. */
export interface CountedRefusal {
  readonly call: RefusedCall;
  readonly calls: number;
}

/** Filter of refused calls. Absent members do not filter. */
export type RefusedFilter = Pick<
  CallFilter,
  "account" | "from" | "model" | "organisation" | "requestId" | "status" | "teams" | "to" | "token"
>;

/** A page of refused calls. `next` is set if more may follow. */
export interface RefusedPage {
  readonly refusals: readonly CountedRefusal[];
  readonly next?: CallPage["next"];
}

/**
 * Stores the first refused calls of an account and hour, then a decreasing share of them. The others are only counted.
 */
export async function recordRefused({ db }: Books, refusals: readonly CountedRefusal[]): Promise<void> {
  const withValidTime = refusals.filter(({ call }) => !Number.isNaN(Date.parse(call.time)));
  const byHour = Map.groupBy(
    withValidTime,
    ({ call }) => `${periodOf(Date.parse(call.time), hourMs)} ${call.accountId}`,
  );
  if (byHour.size === 0) return;
  await db.transaction().execute(async (transaction) => {
    // One order for all ledgers, to avoid deadlocks.
    for (const hour of [...byHour.keys()].toSorted()) await recordHour(transaction, byHour.get(hour) ?? []);
  });
}

async function recordHour(transaction: Transaction<Tables>, refusals: readonly CountedRefusal[]): Promise<void> {
  const [first] = refusals;
  if (first === undefined) return;
  const { accountId: account, time } = first.call;
  const from = periodOf(Date.parse(time), hourMs);
  const storedRows = await transaction
    .selectFrom("refused_calls")
    .select(["at", "id", "left_out"])
    .where("account", "=", account)
    .where("at", ">=", from)
    .where("at", "<", from + hourMs)
    .orderBy("at")
    .orderBy("id")
    .execute();
  const newest = storedRows.at(-1);
  let total = storedRows.reduce((sum, { left_out: leftOut }) => sum + 1 + leftOut, 0);
  let following = 0;
  const rows: { row: Omit<Tables["refused_calls"], "left_out">; leftOut: number }[] = [];
  for (const { call, calls } of refusals) {
    const last = rows.at(-1);
    if (mustStore(total, total + calls)) rows.push({ row: rowOf(call), leftOut: calls - 1 });
    else if (last !== undefined) last.leftOut += calls;
    else following += calls;
    total += calls;
  }
  if (newest !== undefined && following > 0)
    await transaction
      .updateTable("refused_calls")
      .set(({ eb }) => ({ left_out: eb("left_out", "+", following) }))
      .where("account", "=", account)
      .where("at", "=", newest.at)
      .where("id", "=", newest.id)
      .execute();
  if (rows.length > 0)
    await transaction
      .insertInto("refused_calls")
      .values(rows.map(({ row, leftOut }) => ({ ...row, left_out: leftOut })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Returns whether a call is stored. `before` and `total` are the numbers of calls without it and with it. */
function mustStore(before: number, total: number): boolean {
  if (before < alwaysStoredCount) return true;
  const step = 10 ** (Math.floor(Math.log10(total)) - 1);
  return Math.floor(total / step) > Math.floor(before / step);
}

function rowOf(call: RefusedCall): Omit<Tables["refused_calls"], "left_out"> {
  return {
    account: call.accountId,
    at: Date.parse(call.time),
    id: call.id,
    request: call.requestId,
    token: call.tokenId,
    model: call.model ?? "",
    status: call.status,
    call: JSON.stringify(call),
  };
}

/** Reads a page of refused calls, newest first. */
export async function readRefused(
  { db }: Books,
  { from, to, requestId: request, ...named }: RefusedFilter,
  { limit, after }: { readonly limit: number; readonly after?: CallPosition | undefined },
): Promise<RefusedPage> {
  const columns = { ...named, request };
  const narrowed = (["account", "token", "model", "status", "request"] as const).flatMap((name) =>
    columns[name] === undefined ? [] : [sql`${sql.ref(name)} = ${columns[name]}`],
  );
  const beyond = after === undefined ? [] : [sql`(at, account, id) < (${after.at}, ${after.account}, ${after.id})`];
  const where = sql.join(
    [sql`at >= ${from}`, sql`at < ${to}`, ...ownerConditions("refused_calls", named), ...narrowed, ...beyond],
    sql` and `,
  );
  const { rows } = await sql<CallPosition & { call: string; left_out: number }>`
    select at, account, id, call, left_out from refused_calls where ${where}
    order by at desc, account desc, id desc limit ${limit}`.execute(db);
  const refusals = rows.map(({ call, left_out: leftOut }) => ({ call: readCall(call), calls: 1 + leftOut }));
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return { refusals };
  return { refusals, next: { at: last.at, account: last.account, id: last.id } };
}
