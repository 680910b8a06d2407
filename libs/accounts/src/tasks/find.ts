import { orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import type { TaskKey } from "./claim.ts";
import { readTask, type TaskRecord } from "./record.ts";

/** A task, and the version that an update must name. */
export interface StoredTask {
  readonly version: string;
  readonly task: TaskRecord;
}

export interface TaskPage {
  readonly tasks: readonly TaskRecord[];
  readonly hasMore: boolean;
}

/** Query of a page: `limit` tasks after the task `after`, oldest ("asc") or newest ("desc") first. */
export interface TaskQuery {
  readonly after?: string | undefined;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

/** Reads a task of an account; undefined if it has no such task. Throws Failure server_overloaded (503). */
export async function findTask(redis: Redis, accountId: string, id: string): Promise<StoredTask | undefined> {
  const [task] = await findTasks(redis, [{ accountId, id }]);
  return task;
}

/** Reads tasks in the order of `names`; undefined for missing ones. Throws Failure server_overloaded (503). */
export function findTasks(redis: Redis, names: readonly TaskKey[]): Promise<readonly (StoredTask | undefined)[]> {
  return orUnavailable(
    Promise.all(
      names.map(async ({ accountId, id }) =>
        parseTask(await redis.hmget(accountKeys.task(accountId, id), "version", "record")),
      ),
    ),
  );
}

/**
 * Returns true if Redis has a record of a task, even an unreadable one, or knows that a client has deleted the task.
 * Throws Failure server_overloaded (503).
 */
export async function isTaskKnown(redis: Redis, { accountId, id }: TaskKey): Promise<boolean> {
  return (await orUnavailable(redis.exists(accountKeys.task(accountId, id)))) === 1;
}

const maxReads = 20;

/**
 * Lists an account's tasks by creation time. If a page contains deleted tasks, they are removed from the list, and the
 * page is read again. Throws Failure server_overloaded (503).
 */
export async function listTasks(redis: Redis, accountId: string, query: TaskQuery): Promise<TaskPage> {
  const list = accountKeys.tasksOf(accountId);
  for (let reading = 1; ; reading++) {
    const ids = await orUnavailable(idsAfter(redis, list, query));
    const pageIds = ids.slice(0, query.limit);
    const records = await findTasks(
      redis,
      pageIds.map((id) => ({ accountId, id })),
    );
    const deletedIds = pageIds.filter((_, at) => records[at] === undefined);
    if (deletedIds.length === 0 || reading === maxReads)
      return {
        tasks: records.flatMap((stored) => (stored === undefined ? [] : [stored.task])),
        hasMore: ids.length > query.limit,
      };
    await orUnavailable(redis.zrem(list, ...deletedIds));
  }
}

/** Returns up to `limit` ids, and one more if there are more tasks. */
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

function parseTask([version, record]: readonly (string | null)[]): StoredTask | undefined {
  if (typeof version !== "string" || typeof record !== "string") return undefined;
  return { version, task: readTask(record) };
}
