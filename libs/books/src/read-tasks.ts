import { sql } from "kysely";
import { recordParser, TaskEvent, type TaskState } from "@modelgate/contracts";
import type { Books } from "./open.ts";

const readEvent = recordParser("task event", TaskEvent);

/** Filter of tasks. Absent members do not filter. */
export interface TaskFilter {
  readonly account?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly state?: TaskState | undefined;
}

interface TaskPosition {
  readonly at: number;
  readonly account: string;
  readonly task: string;
}

/** A page of tasks in their last state. `next` is set if more may follow. */
export interface TaskLogPage {
  readonly tasks: readonly TaskEvent[];
  readonly next?: TaskPosition;
}

/** Reads a page of tasks, the latest change first. */
export async function readTasks(
  { db }: Books,
  filter: TaskFilter,
  { limit, after }: { readonly limit: number; readonly after?: TaskPosition | undefined },
): Promise<TaskLogPage> {
  const narrowed = (["account", "model", "channel", "state"] as const).flatMap((name) =>
    filter[name] === undefined ? [] : [sql`${sql.ref(name)} = ${filter[name]}`],
  );
  const beyond = after === undefined ? [] : [sql`(at, account, task) < (${after.at}, ${after.account}, ${after.task})`];
  const where = sql.join([sql`at >= 0`, ...narrowed, ...beyond], sql` and `);
  const { rows } = await sql<TaskPosition & { event: string }>`select at, account, task, event from tasks where ${where}
    order by at desc, account desc, task desc limit ${limit}`.execute(db);
  const last = rows.at(-1);
  const tasks = rows.map(({ event }) => readEvent(event));
  if (last === undefined || rows.length < limit) return { tasks };
  return { tasks, next: { at: last.at, account: last.account, task: last.task } };
}
