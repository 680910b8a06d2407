import { sql } from "kysely";
import type { StoredTaskEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";

/** Order of the states. A stored state is replaced only by a later one. */
const ranks = { queued: 0, in_progress: 1, completed: 2, failed: 2 } as const;

/** A task that can be restored in Redis. */
export interface BookedTask {
  readonly account: string;
  readonly task: string;
  /** Encrypted record of the task's last state. */
  readonly record: string;
  /** Unix time in ms until which clients can fetch the task. */
  readonly untilMs: number;
}

/** Stores the last state of tasks. Events may arrive repeatedly and in any order. */
export async function recordTasks({ db }: Books, events: readonly StoredTaskEvent[]): Promise<void> {
  const newest = new Map<string, StoredTaskEvent>();
  for (const event of events) {
    const name = `${event.accountId}\n${event.taskId}`;
    const newestEvent = newest.get(name);
    if (newestEvent === undefined || ranks[newestEvent.state] < ranks[event.state]) newest.set(name, event);
  }
  if (newest.size === 0) return;
  const rank = (table: string) => sql<number>`case ${sql.ref(`${table}.state`)} when 'queued' then 0
    when 'in_progress' then 1 else 2 end`;
  await db
    .insertInto("tasks")
    .values(
      // One order for all ledgers, to avoid deadlocks.
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

function rowOf({ record, ...event }: StoredTaskEvent) {
  return {
    account: event.accountId,
    task: event.taskId,
    at: Date.parse(event.time),
    state: event.state,
    model: event.model,
    channel: event.channelId,
    event: JSON.stringify(event),
    record: record?.encrypted ?? "",
    until: record?.untilMs ?? 0,
  };
}

/** Reads a page of tasks that clients can still fetch, to restore a Redis that has lost them. */
export async function readFetchableTasks(
  { db }: Books,
  { nowMs, after, limit }: { readonly nowMs: number; readonly after?: BookedTask | undefined; readonly limit: number },
): Promise<readonly BookedTask[]> {
  const { rows } = await sql<BookedTask>`
    select account, task, record, until as "untilMs" from tasks where until > ${nowMs}
      ${after === undefined ? sql`` : sql`and (account, task) > (${after.account}, ${after.task})`}
    order by account, task limit ${limit}`.execute(db);
  return rows;
}
