import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { taskMember, type TaskKey } from "../tasks/claim.ts";

/** A task that a client has deleted. */
export interface TaskDeletion extends TaskKey {
  /** Unix time in ms until which clients could have fetched the task. */
  readonly untilMs: number;
}

const restoreScript = defineScript({
  file: new URL("restore-deletion.lua", import.meta.url),
  keys: ["task", "due", "list"],
  args: { id: "text", member: "text", keepMs: "number" },
  replies: { deleted: {}, recorded: {}, known: {} },
});

/** Restores the deletion of a task. Returns true if Redis had the task. */
export async function restoreDeletion(redis: Redis, deletion: TaskDeletion, nowMs: number): Promise<boolean> {
  const { accountId, id, untilMs } = deletion;
  const { verdict } = await restoreScript(
    redis,
    {
      task: accountKeys.task(accountId, id),
      due: accountKeys.tasksDue(shardOf(accountId)),
      list: accountKeys.tasksOf(accountId),
    },
    { id, member: taskMember(deletion), keepMs: Math.max(1, untilMs - nowMs) },
  );
  return verdict === "deleted";
}
