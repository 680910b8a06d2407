import { restoreTask, type TaskRecord, type TaskSeal } from "@modelgate/accounts";
import { lostTasks, type BookedTask } from "@modelgate/books";
import type { KeptTaskEvent } from "@modelgate/contracts";
import type { PutBackDeps } from "./put-back.ts";

/** Tasks of one page, whose steps are sent together. */
const pageSize = 500;

/** Dependencies of the restoration of tasks. */
type TaskDeps = Pick<PutBackDeps, "redis" | "books"> & { readonly taskSeal: TaskSeal };

/** Puts video tasks back that Redis has lost, and those that it has as they were before they ended; how many. */
export async function restoreTasks(deps: TaskDeps, nowMs: number): Promise<number> {
  let restored = 0;
  for (let after: BookedTask | undefined; ;) {
    const page = await lostTasks(deps.books, { nowMs, after, limit: pageSize });
    restored += await restoreSome(deps, page, nowMs);
    after = page.at(-1);
    if (after === undefined || page.length < pageSize) return restored;
  }
}

/** Restores tasks. Skips an unreadable record: a later version wrote it, or its secret is no longer accepted. */
async function restoreSome(
  { redis, taskSeal }: Pick<TaskDeps, "redis" | "taskSeal">,
  tasks: readonly BookedTask[],
  nowMs: number,
): Promise<number> {
  const done = await Promise.all(
    tasks.map(async ({ account, task: id, record, untilMs }) => {
      const task = opened(taskSeal, record, { accountId: account, id });
      return task !== undefined && (await restoreTask(redis, { task, untilMs }, nowMs));
    }),
  );
  return done.filter(Boolean).length;
}

/** Time after the loss of a Redis in which events of tasks may arrive that their services had not published yet. */
const lateMs = 60_000;
/** Maximum number that wait for the next round; the next run of the server finds those beyond in the books. */
const maxLate = 10_000;

/** Tasks whose events came to the books after a Redis that was lost had its tasks back: they are put back as they come. */
export class LateTasks {
  #until = 0;
  #waiting: BookedTask[] = [];

  /** From now on events may come late. */
  begin(): void {
    this.#until = performance.now() + lateMs;
  }

  /** Events that the books have now. */
  notice(events: readonly KeptTaskEvent[]): void {
    if (performance.now() > this.#until) return;
    for (const { accountId: account, taskId: task, kept } of events)
      if (kept !== undefined && this.#waiting.length < maxLate)
        this.#waiting.push({ account, task, record: kept.sealed, untilMs: kept.untilMs });
  }

  /** Puts back what Redis does not have of them, in the order in which they came. */
  async restore(deps: Pick<TaskDeps, "redis" | "taskSeal">, nowMs: number): Promise<void> {
    const tasks = [...this.#waiting];
    for (let from = 0; from < tasks.length; from += pageSize)
      await restoreSome(deps, tasks.slice(from, from + pageSize), nowMs);
    this.#waiting = this.#waiting.slice(tasks.length); // where it fails, the next round does it again
  }
}

function opened(
  seal: TaskSeal,
  record: string,
  name: { readonly accountId: string; readonly id: string },
): TaskRecord | undefined {
  try {
    return seal.open(record, name);
  } catch {
    return undefined;
  }
}
