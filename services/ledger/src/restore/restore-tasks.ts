import { restoreTask, type TaskRecord, type TaskSealer } from "@modelgate/accounts";
import { readFetchableTasks, type BookedTask } from "@modelgate/books";
import type { KeptTaskEvent } from "@modelgate/contracts";
import type { PutBackDeps } from "./put-back.ts";

/** Tasks of one page, whose commands are sent together. */
const pageSize = 500;

/** Dependencies of the restoration of tasks. */
type TaskDeps = Pick<PutBackDeps, "redis" | "books"> & { readonly taskSeal: TaskSealer };

/**
 * Restores video tasks that Redis has lost, and tasks that it has in a state before their end. Returns their number.
 */
export async function restoreTasks(deps: TaskDeps, nowMs: number): Promise<number> {
  let restored = 0;
  for (let after: BookedTask | undefined; ;) {
    const page = await readFetchableTasks(deps.books, { nowMs, after, limit: pageSize });
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

/**
 * Time, in ms, after the loss of a Redis in which events of tasks may arrive that their services had not published yet.
 */
const lateMs = 60_000;
/** Maximum tasks that wait for the next round; the next restoration finds further ones in the books. */
const maxLate = 10_000;

/** Tasks whose events reached the books after a lost Redis was restored; they are restored as they arrive. */
export class LateTasks {
  #until = 0;
  #waiting: BookedTask[] = [];

  /** Expects late events from now on. */
  begin(): void {
    this.#until = performance.now() + lateMs;
  }

  /** Adds events that the books now have. */
  notice(events: readonly KeptTaskEvent[]): void {
    if (performance.now() > this.#until) return;
    for (const { accountId: account, taskId: task, kept } of events)
      if (kept !== undefined && this.#waiting.length < maxLate)
        this.#waiting.push({ account, task, record: kept.sealed, untilMs: kept.untilMs });
  }

  /** Restores the tasks that Redis lacks, in the order of arrival. */
  async restore(deps: Pick<TaskDeps, "redis" | "taskSeal">, nowMs: number): Promise<void> {
    const tasks = [...this.#waiting];
    for (let from = 0; from < tasks.length; from += pageSize)
      await restoreSome(deps, tasks.slice(from, from + pageSize), nowMs);
    this.#waiting = this.#waiting.slice(tasks.length); // after an error the next round repeats it
  }
}

function opened(
  seal: TaskSealer,
  record: string,
  name: { readonly accountId: string; readonly id: string },
): TaskRecord | undefined {
  try {
    return seal.open(record, name);
  } catch {
    return undefined;
  }
}
