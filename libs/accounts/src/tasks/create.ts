import type { TaskEvent } from "@modelgate/contracts";
import { defineScript, orUnavailable, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";
import type { OutboxEntry } from "../outbox/entry.ts";
import { callbackArguments, callbackOf } from "./callback.ts";
import { placeName } from "./claim.ts";
import { taskEvent, type TaskRecord } from "./record.ts";

/** A task that its vendor has accepted. */
export interface TaskCreation {
  readonly task: TaskRecord;
  /** When it is looked at first, Unix ms. */
  readonly dueAt: number;
  /** How long its hold is kept open at most, Unix ms: beyond the task's deadline. */
  readonly holdUntil: number;
  /** How long an account's list shows a task, in ms. */
  readonly keepMs: number;
  /** When another process may tell its callback, Unix ms: this one tells it at once. */
  readonly callbackDueAt: number;
}

const run = defineScript(new URL("create.lua", import.meta.url), replyList);

/**
 * Records a task with its first event, and lengthens its hold's lease to the task's own, in one write. "recorded" where
 * an earlier try was (its reply was lost), "no-hold" where the hold is gone: the call took so long that it was swept.
 * Throws Failure server_overloaded (503).
 */
export async function createTask(
  redis: Redis,
  { task, dueAt, holdUntil, keepMs, callbackDueAt }: TaskCreation,
): Promise<OutboxEntry<TaskEvent> | "recorded" | "no-hold"> {
  const { id, accountId, createdAt, callId } = task;
  const shard = shardOf(accountId);
  const event = taskEvent(task, null, createdAt);
  const [verdict, entryId = ""] = await orUnavailable(
    run(
      redis,
      [
        keys.task(accountId, id),
        keys.tasksDue(shard),
        keys.tasksOf(accountId),
        keys.holds(shard),
        keys.outbox(shard),
        keys.callbacksDue(shard),
        keys.callbacks(shard),
      ],
      [
        id,
        placeName({ accountId, id }),
        JSON.stringify(task),
        dueAt,
        createdAt,
        callId,
        holdUntil,
        JSON.stringify(event),
        createdAt - keepMs,
        ...callbackArguments(callbackOf(task, event), callbackDueAt),
      ],
    ),
  );
  if (verdict === "created") return { shard, entryId, event };
  return verdict === "exists" ? "recorded" : "no-hold";
}
