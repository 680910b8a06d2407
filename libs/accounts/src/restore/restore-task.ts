import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { taskMember } from "../tasks/claim.ts";
import { holdBeyondMs, type TaskRecord } from "../tasks/record.ts";

/** A task in the state of its latest event. */
export interface LostTask {
  readonly task: TaskRecord;
  /** Time until which the task can be fetched, Unix ms. */
  readonly untilMs: number;
}

const run = defineScript({
  file: new URL("restore-task.lua", import.meta.url),
  keys: ["task", "due", "list", "holds"],
  args: {
    id: "text",
    member: "text",
    record: "text",
    createdAt: "number",
    dueAt: "number?",
    keepMs: "number",
    callId: "text",
    holdUntil: "number",
  },
  replies: { restored: {}, exists: {} },
});

/**
 * Restores a task that Redis has lost. An open task is polled immediately, and its hold, if it exists, is kept open; an
 * ended one is not polled, even if Redis has an older state of it. Returns false if Redis already has the task.
 */
export async function restoreTask(redis: Redis, { task, untilMs }: LostTask, nowMs: number): Promise<boolean> {
  const { id, accountId, createdAt, state } = task;
  const shard = shardOf(accountId);
  const isOpen = state === "queued" || state === "in_progress";
  const { verdict } = await run(
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
      dueAt: isOpen ? nowMs : undefined,
      keepMs: Math.max(1, untilMs - nowMs),
      callId: task.callId,
      holdUntil: task.deadlineAt + holdBeyondMs,
    },
  );
  return verdict === "restored";
}
