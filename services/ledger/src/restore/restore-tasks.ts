import { isTaskKnown, restoreDeletion, restoreTask, type TaskRecord, type TaskCipher } from "@modelgate/accounts";
import { readFetchableTasks, type BookedTask } from "@modelgate/books";
import { UnknownShape, type StoredTaskEvent } from "@modelgate/contracts";
import type { Logger } from "@modelgate/platform";
import type { RestoreDeps } from "./restore-accounts.ts";

const pageSize = 500;

/** Dependencies for restoring tasks. */
type TaskDeps = Pick<RestoreDeps, "redis" | "books"> & { readonly taskCipher: TaskCipher; readonly log: Logger };

/**
 * Restores video tasks that Redis lacks or has in an earlier state, and deletes those that a client has deleted. Returns
 * the number of changed tasks. Logs how many are lost.
 */
export async function restoreTasks(deps: TaskDeps, nowMs: number): Promise<number> {
  const result = noTasks();
  for (let after: BookedTask | undefined; ;) {
    const page = await readFetchableTasks(deps.books, { nowMs, after, limit: pageSize });
    await restorePage(deps, page, nowMs, result);
    after = page.at(-1);
    if (after === undefined || page.length < pageSize) break;
  }
  logLost(deps, result);
  return result.restored;
}

/** Numbers of tasks: restored or deleted ones, and those that Redis lacks and whose records cannot be decrypted or read. */
interface RestoredTasks {
  restored: number;
  undecryptable: number;
  unreadable: number;
}

const noTasks = (): RestoredTasks => ({ restored: 0, undecryptable: 0, unreadable: 0 });

function logLost({ log }: Pick<TaskDeps, "log">, { undecryptable, unreadable }: RestoredTasks): void {
  if (undecryptable > 0)
    log.warn({ tasks: undecryptable }, "video tasks are not restored: no accepted secret decrypts their records");
  if (unreadable > 0) log.warn({ tasks: unreadable }, "video tasks are not restored: their records cannot be read");
}

/** Restores tasks, and counts them in `result`. */
async function restorePage(
  { redis, taskCipher }: Pick<TaskDeps, "redis" | "taskCipher">,
  tasks: readonly BookedTask[],
  nowMs: number,
  result: RestoredTasks,
): Promise<void> {
  await Promise.all(
    tasks.map(async ({ account, task: id, record, untilMs, isDeleted }) => {
      const name = { accountId: account, id };
      if (isDeleted) {
        if (await restoreDeletion(redis, { ...name, untilMs }, nowMs)) result.restored++;
        return;
      }
      const task = openRecord(taskCipher, record, name);
      if (typeof task !== "string") {
        if (await restoreTask(redis, { task, untilMs }, nowMs)) result.restored++;
      } else if (!(await isTaskKnown(redis, name))) result[task]++;
    }),
  );
}

/** Time in ms after a loss of Redis in which events of earlier tasks may arrive. */
const lateMs = 60_000;
/** Maximum tasks that wait for the next round. */
const maxLate = 10_000;

/** Tasks whose events arrived after a lost Redis was restored. */
export class LateTasks {
  #until = 0;
  #waiting: BookedTask[] = [];

  /** Starts the time in which late events are expected. */
  begin(): void {
    this.#until = performance.now() + lateMs;
  }

  /** Adds the tasks of recorded events. */
  add(events: readonly StoredTaskEvent[]): void {
    if (performance.now() > this.#until) return;
    for (const { accountId: account, taskId: task, record, deleted: isDeleted = false } of events)
      if (record !== undefined && this.#waiting.length < maxLate)
        this.#waiting.push({ account, task, record: record.encrypted, untilMs: record.untilMs, isDeleted });
  }

  get hasTasks(): boolean {
    return this.#waiting.length > 0;
  }

  /** Restores the collected tasks as `restoreTasks` does. */
  async restore(deps: Omit<TaskDeps, "books">, nowMs: number): Promise<void> {
    const tasks = [...this.#waiting];
    const result = noTasks();
    for (let from = 0; from < tasks.length; from += pageSize)
      await restorePage(deps, tasks.slice(from, from + pageSize), nowMs, result);
    logLost(deps, result);
    this.#waiting = this.#waiting.slice(tasks.length); // not reached after an error, so the next round tries again
  }
}

function openRecord(
  cipher: TaskCipher,
  record: string,
  name: { readonly accountId: string; readonly id: string },
): TaskRecord | "undecryptable" | "unreadable" {
  try {
    return cipher.decrypt(record, name);
  } catch (error) {
    return error instanceof UnknownShape ? "unreadable" : "undecryptable";
  }
}
