import { sql } from "kysely";
import type { KeptTaskEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";

/** Rank of each state: an event of a lower rank is outdated. */
const ranks = { queued: 0, in_progress: 1, completed: 2, failed: 2 } as const;

/** A task in the state of its latest event. */
export interface BookedTask {
  readonly account: string;
  readonly task: string;
  /** Encrypted record from which the video service can restore the task. */
  readonly record: string;
  /** Time until which the task can be fetched, Unix ms. */
  readonly untilMs: number;
}

/** Stores the latest state of tasks, regardless of the order and repetition of events. */
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
      // In a fixed order, so that two concurrent ledgers do not deadlock.
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

/**
 * Reads a page of tasks that can still be fetched, ordered by account and id, to restore a Redis that has lost them.
 */
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
