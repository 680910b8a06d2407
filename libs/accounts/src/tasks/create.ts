import type { StoredTaskEvent } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { callbackArguments, callbackKinds, makeCallback } from "./callback.ts";
import { taskMember } from "./claim.ts";
import { makeTaskEvent, type TaskRecord, type TaskCipher } from "./record.ts";

/** A task that its vendor has accepted. */
export interface TaskCreation {
  readonly task: TaskRecord;
  readonly nextPollAt: number;
  /** Unix time in ms at which the hold's lease ends, after the task's deadline. */
  readonly holdUntil: number;
  /** Time in ms for which the account's list shows the task. */
  readonly keepMs: number;
  /** Unix time in ms from which other processes may send the callback. This process sends it immediately. */
  readonly callbackDueAt: number;
  /** Encrypts the record for its event; absent if the event contains no copy of the record. */
  readonly cipher?: Pick<TaskCipher, "encrypt"> | undefined;
}

const createScript = defineScript({
  file: new URL("create.lua", import.meta.url),
  keys: ["task", "due", "list", "holds", "outbox", "callbacksDue", "callbacks"],
  args: {
    id: "text",
    member: "text",
    record: "text",
    nextPollAt: "number",
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
 * Records a task with its first event, and extends its hold's lease. Returns "recorded" if an earlier attempt
 * succeeded, "no-hold" if the hold no longer exists. Throws Failure server_overloaded (503).
 */
export async function createTask(
  redis: Redis,
  { task, nextPollAt, holdUntil, keepMs, callbackDueAt, cipher }: TaskCreation,
): Promise<OutboxEntry<StoredTaskEvent> | "recorded" | "no-hold"> {
  const { id, accountId, createdAt, callId } = task;
  const shard = shardOf(accountId);
  const event = makeTaskEvent(task, { from: null, nowMs: createdAt, keepMs, cipher });
  const reply = await orUnavailable(
    createScript(
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
        nextPollAt,
        createdAt,
        callId,
        holdUntil,
        event: JSON.stringify(event),
        listedSince: createdAt - keepMs,
        ...callbackArguments(makeCallback(task, event), callbackDueAt),
      },
    ),
  );
  if (reply.verdict === "created") return { shard, entryId: reply.entry, event };
  return reply.verdict === "exists" ? "recorded" : "no-hold";
}
