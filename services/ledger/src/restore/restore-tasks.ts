import { restoreTask, type TaskRecord, type TaskSeal } from "@modelgate/accounts";
import { lostTasks, type BookedTask } from "@modelgate/books";
import type { PutBackDeps } from "./put-back.ts";

/** Tasks of one page, whose steps are sent together. */
const pageSize = 500;

/**
 * Puts video tasks back that Redis has lost, and those that it has as they were before they ended; how many. What cannot be
 * read is passed over: a later version wrote it, or its secret is accepted no more.
 */
export async function restoreTasks(
  { redis, books, taskSeal }: Pick<PutBackDeps, "redis" | "books"> & { readonly taskSeal: TaskSeal },
  nowMs: number,
): Promise<number> {
  let restored = 0;
  for (let after: BookedTask | undefined; ;) {
    const page = await lostTasks(books, { nowMs, after, limit: pageSize });
    const done = await Promise.all(
      page.map(async ({ account, task: id, record, untilMs }) => {
        const task = opened(taskSeal, record, { accountId: account, id });
        return task !== undefined && (await restoreTask(redis, { task, untilMs }, nowMs));
      }),
    );
    restored += done.filter(Boolean).length;
    after = page.at(-1);
    if (after === undefined || page.length < pageSize) return restored;
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
