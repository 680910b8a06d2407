import { sql } from "kysely";
import type { KeptTaskEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";

/** Progress of each state: an event of an earlier state is outdated. */
const ranks = { queued: 0, in_progress: 1, completed: 2, failed: 2 } as const;

/** A task as its newest event has it. */
export interface BookedTask {
  readonly account: string;
  readonly task: string;
  /** Record that the video service continues with, as it encrypted it. */
  readonly record: string;
  /** Time until which it can be fetched, Unix ms. */
  readonly untilMs: number;
}

/** Writes what became of tasks into the books: of each the latest state, whatever order its events come in, and again. */
export async function recordTasks({ db }: Books, events: readonly KeptTaskEvent[]): Promise<void> {
  const newest = new Map<string, KeptTaskEvent>();
  for (const event of events) {
    const name = `${event.accountId}\n${event.taskId}`;
    const known = newest.get(name);
    if (known === undefined || ranks[known.state] < ranks[event.state]) newest.set(name, event);
  }
  if (newest.size === 0) return;
  const rank = (table: string) => sql<number>`case ${sql.ref(`${table}.state`)} when 'queued' then 0
    when 'in_progress' then 1 else 2 end`;
  await db
    .insertInto("tasks")
    .values(
      // In one order, so that two ledgers wait for each other and do not lock each other out.
      [...newest].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, event]) => rowOf(event)),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["account", "task"])
        .doUpdateSet((row) => ({
          at: row.ref("excluded.at"),
          state: row.ref("excluded.state"),
          model: row.ref("excluded.model"),
          channel: row.ref("excluded.channel"),
          event: row.ref("excluded.event"),
          record: row.ref("excluded.record"),
          until: row.ref("excluded.until"),
        }))
        .where(sql<boolean>`${rank("tasks")} < ${rank("excluded")}`),
    )
    .execute();
}

function rowOf({ kept, ...event }: KeptTaskEvent) {
  return {
    account: event.accountId,
    task: event.taskId,
    at: Date.parse(event.time),
    state: event.state,
    model: event.model,
    channel: event.channelId,
    event: JSON.stringify(event),
    record: kept === undefined ? "" : kept.sealed,
    until: kept?.untilMs ?? 0,
  };
}

/** Tasks that can still be fetched, by account and id after one, a page: what a Redis that has lost them is given back. */
export async function lostTasks(
  { db }: Books,
  { nowMs, after, limit }: { readonly nowMs: number; readonly after?: BookedTask | undefined; readonly limit: number },
): Promise<readonly BookedTask[]> {
  const { rows } = await sql<BookedTask>`
    select account, task, record, until as "untilMs" from tasks where until > ${nowMs}
      ${after === undefined ? sql`` : sql`and (account, task) > (${after.account}, ${after.task})`}
    order by account, task limit ${limit}`.execute(db);
  return rows;
}
