import type { KeptTaskEvent } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { callbackArguments, callbackKinds, callbackOf } from "./callback.ts";
import { taskMember } from "./claim.ts";
import { taskEvent, type TaskRecord, type TaskSeal } from "./record.ts";

/** A task that its vendor has accepted. */
export interface TaskCreation {
  readonly task: TaskRecord;
  /** Time of the first poll, Unix ms. */
  readonly dueAt: number;
  /** End of the hold's lease, Unix ms: after the task's deadline. */
  readonly holdUntil: number;
  /** Ms for which an account's list shows the task. */
  readonly keepMs: number;
  /** Time from which another process may send its callback, Unix ms; this process sends it immediately. */
  readonly callbackDueAt: number;
  /** Encrypts the record for its events; absent: the record is stored in Redis only. */
  readonly seal?: Pick<TaskSeal, "seal"> | undefined;
}

const run = defineScript({
  file: new URL("create.lua", import.meta.url),
  keys: ["task", "due", "list", "holds", "outbox", "callbacksDue", "callbacks"],
  args: {
    id: "text",
    member: "text",
    record: "text",
    dueAt: "number",
    createdAt: "number",
    callId: "text",
    holdUntil: "number",
    event: "text",
    listedSince: "number",
    ...callbackKinds,
  },
  replies: { created: { entry: "text" }, exists: {}, "no-hold": {} },
});

/**
 * Records a task with its first event, and extends its hold's lease to that of the task, in one step. Returns
 * "recorded" if an earlier attempt succeeded (its reply was lost), "no-hold" if the hold no longer exists: lost with a
 * Redis, or swept because the call took too long. Throws Failure server_overloaded (503).
 */
export async function createTask(
  redis: Redis,
  { task, dueAt, holdUntil, keepMs, callbackDueAt, seal }: TaskCreation,
): Promise<OutboxEntry<KeptTaskEvent> | "recorded" | "no-hold"> {
  const { id, accountId, createdAt, callId } = task;
  const shard = shardOf(accountId);
  const event = taskEvent(task, { from: null, nowMs: createdAt, keepMs, seal });
  const reply = await orUnavailable(
    run(
      redis,
      {
        task: accountKeys.task(accountId, id),
        due: accountKeys.tasksDue(shard),
        list: accountKeys.tasksOf(accountId),
        holds: accountKeys.holds(shard),
        outbox: accountKeys.outbox(shard),
        callbacksDue: accountKeys.callbacksDue(shard),
        callbacks: accountKeys.callbacks(shard),
      },
      {
        id,
        member: taskMember({ accountId, id }),
        record: JSON.stringify(task),
        dueAt,
        createdAt,
        callId,
        holdUntil,
        event: JSON.stringify(event),
        listedSince: createdAt - keepMs,
        ...callbackArguments(callbackOf(task, event), callbackDueAt),
      },
    ),
  );
  if (reply.verdict === "created") return { shard, entryId: reply.entry, event };
  return reply.verdict === "exists" ? "recorded" : "no-hold";
}
