import { restoreTask, type TaskRecord, type TaskCipher } from "@modelgate/accounts";
import { readFetchableTasks, type BookedTask } from "@modelgate/books";
import type { StoredTaskEvent } from "@modelgate/contracts";
import type { Logger } from "@modelgate/platform";
import type { RestoreDeps } from "./restore-accounts.ts";

const pageSize = 500;

/** Dependencies for restoring tasks. */
type TaskDeps = Pick<RestoreDeps, "redis" | "books"> & { readonly taskCipher: TaskCipher; readonly log: Logger };

/** Restores video tasks that Redis lacks or has in an earlier state. Returns their number. Logs how many it skips. */
export async function restoreTasks(deps: TaskDeps, nowMs: number): Promise<number> {
  let [restored, skipped] = [0, 0];
  for (let after: BookedTask | undefined; ;) {
    const page = await readFetchableTasks(deps.books, { nowMs, after, limit: pageSize });
    const result = await restorePage(deps, page, nowMs);
    restored += result.restored;
    skipped += result.skipped;
    after = page.at(-1);
    if (after === undefined || page.length < pageSize) break;
  }
  if (skipped > 0) deps.log.warn({ tasks: skipped }, "video tasks are not restored: their records cannot be decrypted");
  return restored;
}

/** Restores tasks. Skips records that cannot be decrypted or read. Returns the numbers of restored and skipped tasks. */
async function restorePage(
  { redis, taskCipher }: Pick<TaskDeps, "redis" | "taskCipher">,
  tasks: readonly BookedTask[],
  nowMs: number,
): Promise<{ readonly restored: number; readonly skipped: number }> {
  let skipped = 0;
  const restored = await Promise.all(
    tasks.map(async ({ account, task: id, record, untilMs }) => {
      const task = openRecord(taskCipher, record, { accountId: account, id });
      if (task === undefined) skipped++;
      return task !== undefined && (await restoreTask(redis, { task, untilMs }, nowMs));
    }),
  );
  return { restored: restored.filter(Boolean).length, skipped };
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
    for (const { accountId: account, taskId: task, kept } of events)
      if (kept !== undefined && this.#waiting.length < maxLate)
        this.#waiting.push({ account, task, record: kept.sealed, untilMs: kept.untilMs });
  }

  get hasTasks(): boolean {
    return this.#waiting.length > 0;
  }

  /** Restores the collected tasks that Redis lacks or has in an earlier state. */
  async restore(deps: Pick<TaskDeps, "redis" | "taskCipher">, nowMs: number): Promise<void> {
    const tasks = [...this.#waiting];
    for (let from = 0; from < tasks.length; from += pageSize)
      await restorePage(deps, tasks.slice(from, from + pageSize), nowMs);
    this.#waiting = this.#waiting.slice(tasks.length); // not reached after an error, so the next round tries again
  }
}

function openRecord(
  cipher: TaskCipher,
  record: string,
  name: { readonly accountId: string; readonly id: string },
): TaskRecord | undefined {
  try {
    return cipher.decrypt(record, name);
  } catch {
    return undefined;
  }
}
