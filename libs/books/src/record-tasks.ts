import { sql } from "kysely";
import type { StoredTaskEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";

/** Order of the states, before a deletion. A stored state is replaced only by a later one. */
const ranks = { queued: 0, in_progress: 1, completed: 2, failed: 2 } as const;
const deletedRank = 3;

/** A task that can be restored in Redis, or whose deletion can. */
export interface BookedTask {
  readonly account: string;
  readonly task: string;
  /** Encrypted record of the task's last state, or "" if the task is deleted. */
  readonly record: string;
  /** Unix time in ms until which clients can fetch the task. */
  readonly untilMs: number;
  /** True if a client has deleted the task. */
  readonly isDeleted: boolean;
}

/** Stores the last state of tasks. Events may arrive repeatedly and in any order. */
export async function recordTasks({ db }: Books, events: readonly StoredTaskEvent[]): Promise<void> {
  const newest = new Map<string, StoredTaskEvent>();
  for (const event of events) {
    const name = `${event.accountId}\n${event.taskId}`;
    const newestEvent = newest.get(name);
    if (newestEvent === undefined || rankOf(newestEvent) < rankOf(event)) newest.set(name, event);
  }
  if (newest.size === 0) return;
  const rank = (table: string) => sql<number>`case when ${sql.ref(`${table}.deleted`)} = 1 then 3
    when ${sql.ref(`${table}.state`)} = 'queued' then 0 when ${sql.ref(`${table}.state`)} = 'in_progress' then 1
    else 2 end`;
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
          deleted: row.ref("excluded.deleted"),
        }))
        .where(sql<boolean>`${rank("tasks")} < ${rank("excluded")}`),
    )
    .execute();
}

function rankOf({ state, deleted }: StoredTaskEvent): number {
  return deleted ? deletedRank : ranks[state];
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
    deleted: event.deleted ? 1 : 0,
  };
}

/** Reads a page of tasks that clients can still fetch, or have deleted, to restore a Redis that has lost them. */
export async function readFetchableTasks(
  { db }: Books,
  { nowMs, after, limit }: { readonly nowMs: number; readonly after?: BookedTask | undefined; readonly limit: number },
): Promise<readonly BookedTask[]> {
  const { rows } = await sql<Omit<BookedTask, "isDeleted"> & { deleted: number }>`
    select account, task, record, until as "untilMs", deleted from tasks where until > ${nowMs}
      ${after === undefined ? sql`` : sql`and (account, task) > (${after.account}, ${after.task})`}
    order by account, task limit ${limit}`.execute(db);
  return rows.map(({ deleted, ...task }) => ({ ...task, isDeleted: deleted === 1 }));
}
