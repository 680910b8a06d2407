import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { taskMember } from "../tasks/claim.ts";
import { holdLeaseMarginMs, type TaskRecord } from "../tasks/record.ts";

/** A task that Redis has lost, in the state of its last event. */
export interface LostTask {
  readonly task: TaskRecord;
  /** Unix time in ms until which clients can fetch the task. */
  readonly untilMs: number;
}

const restoreScript = defineScript({
  file: new URL("restore-task.lua", import.meta.url),
  keys: ["task", "due", "list", "holds"],
  args: {
    id: "text",
    member: "text",
    record: "text",
    createdAt: "number",
    nextPollAt: "number?",
    keepMs: "number",
    callId: "text",
    holdUntil: "number",
  },
  replies: { restored: {}, exists: {} },
});

/** Restores a task that Redis has lost, or whose end Redis has lost. Returns false if Redis already has the task. */
export async function restoreTask(redis: Redis, { task, untilMs }: LostTask, nowMs: number): Promise<boolean> {
  const { id, accountId, createdAt, state } = task;
  const shard = shardOf(accountId);
  const isOpen = state === "queued" || state === "in_progress";
  const { verdict } = await restoreScript(
    redis,
    {
      task: accountKeys.task(accountId, id),
      due: accountKeys.tasksDue(shard),
      list: accountKeys.tasksOf(accountId),
      holds: accountKeys.holds(shard),
    },
    {
      id,
      member: taskMember(task),
      record: JSON.stringify(task),
      createdAt,
      nextPollAt: isOpen ? nowMs : undefined,
      keepMs: Math.max(1, untilMs - nowMs),
      callId: task.callId,
      holdUntil: task.deadlineAt + holdLeaseMarginMs,
    },
  );
  return verdict === "restored";
}
