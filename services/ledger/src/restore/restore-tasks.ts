import { readTask, restoreTask } from "@modelgate/accounts";
import { lostTasks, type BookedTask } from "@modelgate/books";
import type { PutBackDeps } from "./put-back.ts";

/** Tasks of one page, whose steps are sent together. */
const pageSize = 500;

/**
 * Puts video tasks back that Redis has lost, and those that it has as they were before they ended; how many. What cannot be
 * read is passed over: a later version wrote it.
 */
export async function restoreTasks({ redis, books }: PutBackDeps, nowMs: number): Promise<number> {
  let restored = 0;
  for (let after: BookedTask | undefined; ;) {
    const page = await lostTasks(books, { nowMs, after, limit: pageSize });
    const done = await Promise.all(
      page.map(async ({ record, untilMs }) => {
        const task = taskOf(record);
        return task !== undefined && (await restoreTask(redis, { task, untilMs }, nowMs));
      }),
    );
    restored += done.filter(Boolean).length;
    after = page.at(-1);
    if (after === undefined || page.length < pageSize) return restored;
  }
}

function taskOf(record: string) {
  try {
    return readTask(record);
  } catch {
    return undefined;
  }
}
