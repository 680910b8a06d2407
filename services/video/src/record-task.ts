import { setTimeout as pause } from "node:timers/promises";
import { callbackAmong, createTask, type TaskRecord } from "@modelgate/accounts";
import type { RequestIds } from "@modelgate/platform";
import type { Deps } from "./deps.ts";

/** Pauses between the tries, in ms: the vendor works already, and a client waits. */
const pausesMs = [50, 100, 250, 500, 1_000, 2_000, 4_000];
/** How long a task's hold outlives its deadline: only then may the sweep take it for dead. */
const holdBeyondMs = 3_600_000;

/**
 * Records a task that its vendor has accepted, through an outage of Redis of a few seconds; false where that was in
 * vain. A try whose reply was lost is found by the next one.
 */
export async function recordSurely(deps: Deps, task: TaskRecord, ids: RequestIds): Promise<boolean> {
  const creation = {
    task,
    dueAt: task.createdAt + deps.pace.firstMs,
    holdUntil: task.deadlineAt + holdBeyondMs,
    keepMs: deps.limits.keepMs,
    callbackDueAt: deps.callbacks.leaseEnd(),
  };
  for (const pauseMs of [...pausesMs, undefined]) {
    try {
      const recorded = await createTask(deps.relay.redis, creation);
      if (typeof recorded === "object") {
        deps.outbox.push(recorded);
        deps.callbacks.send(callbackAmong(task, [recorded]));
      }
      return recorded !== "no-hold";
    } catch (error) {
      if (pauseMs === undefined) {
        deps.relay.log.error(
          { ...ids, err: error, taskId: task.id, callId: task.callId },
          "a started task is not recorded",
        );
        return false;
      }
      await pause(pauseMs);
    }
  }
  return false;
}
