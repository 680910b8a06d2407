import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import type { TaskName } from "./claim.ts";
import { readTask, type TaskRecord } from "./record.ts";

/** A task, with the version that an update must name. */
export interface StoredTask {
  readonly version: string;
  readonly task: TaskRecord;
}

/** A page of an account's list of tasks. */
export interface TaskPage {
  readonly tasks: readonly TaskRecord[];
  readonly hasMore: boolean;
}

/** Query for a page: `limit` tasks after one, oldest or newest first. */
export interface TaskQuery {
  readonly after?: string | undefined;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

const remove = defineScript({
  file: new URL("remove.lua", import.meta.url),
  keys: ["task", "list"],
  args: { id: "text", version: "text" },
  replies: { removed: {}, stale: {} },
});

/**
 * Returns a task of an account; undefined for an unknown task, or one of another account. Throws Failure
 * server_overloaded.
 */
export async function findTask(redis: Redis, accountId: string, id: string): Promise<StoredTask | undefined> {
  const [found] = await findTasks(redis, [{ accountId, id }]);
  return found;
}

/** Returns tasks in the order of their names, undefined for missing ones. Throws Failure server_overloaded. */
export function findTasks(redis: Redis, names: readonly TaskName[]): Promise<readonly (StoredTask | undefined)[]> {
  return orUnavailable(
    Promise.all(
      names.map(async ({ accountId, id }) =>
        parsed(await redis.hmget(accountKeys.task(accountId, id), "version", "record")),
      ),
    ),
  );
}

/** Maximum reads for one page; each leaves out ids of deleted tasks that the previous one found. */
const maxReadings = 20;

/**
 * Lists an account's tasks by creation time, after the task `after`. Ids of deleted tasks that are found are removed
 * from the list, so that no page is empty while more tasks follow. Throws Failure server_overloaded.
 */
export async function listTasks(redis: Redis, accountId: string, query: TaskQuery): Promise<TaskPage> {
  const list = accountKeys.tasksOf(accountId);
  for (let reading = 1; ; reading++) {
    const ids = await orUnavailable(idsAfter(redis, list, query));
    const shown = ids.slice(0, query.limit);
    const found = await findTasks(
      redis,
      shown.map((id) => ({ accountId, id })),
    );
    const gone = shown.filter((_, at) => found[at] === undefined);
    if (gone.length === 0 || reading === maxReadings)
      return {
        tasks: found.flatMap((stored) => (stored === undefined ? [] : [stored.task])),
        hasMore: ids.length > query.limit,
      };
    await orUnavailable(redis.zrem(list, ...gone));
  }
}

/** Deletes a task. Returns false if it has changed since it was read. Throws Failure server_overloaded. */
export async function removeTask(redis: Redis, { version, task }: StoredTask): Promise<boolean> {
  const { accountId, id } = task;
  const { verdict } = await orUnavailable(
    remove(redis, { task: accountKeys.task(accountId, id), list: accountKeys.tasksOf(accountId) }, { id, version }),
  );
  return verdict === "removed";
}

/** Returns the ids after a task: one more than the limit, if there are more. */
async function idsAfter(redis: Redis, list: string, { after, limit, order }: TaskQuery): Promise<readonly string[]> {
  let start = 0;
  if (after !== undefined) {
    const rank = await (order === "asc" ? redis.zrank(list, after) : redis.zrevrank(list, after));
    if (rank === null) return [];
    start = rank + 1;
  }
  const [first, last] = [String(start), String(start + limit)];
  return order === "asc" ? redis.zrange(list, first, last) : redis.zrevrange(list, first, last);
}

function parsed([version, record]: readonly (string | null)[]): StoredTask | undefined {
  if (typeof version !== "string" || typeof record !== "string") return undefined;
  return { version, task: readTask(record) };
}
