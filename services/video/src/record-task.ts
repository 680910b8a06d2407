import { setTimeout as pause } from "node:timers/promises";
import { findCallback, createTask, holdLeaseMarginMs, type TaskRecord } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { RequestIds } from "@modelgate/platform";
import type { JobMoney, UsageRecord } from "@modelgate/relay";
import type { Deps } from "./deps.ts";

/** Pauses between attempts in ms. They are short, because a client waits and the vendor has already started. */
const retryDelaysMs = [50, 100, 250, 500, 1_000, 2_000, 4_000];

/** A task that its vendor has accepted, and the money that is held for it. */
export interface AcceptedTask {
  readonly hold: JobMoney;
  /** Returns the record of a task that `call` pays for. */
  readonly recordOf: (call: UsageRecord) => TaskRecord;
  readonly ids: RequestIds;
}

/**
 * Stores a task that its vendor has accepted, with its held money. If Redis has lost the hold, the money is held again.
 * Returns undefined if the task could not be stored.
 */
export async function recordTask(deps: Deps, { hold, recordOf, ids }: AcceptedTask): Promise<TaskRecord | undefined> {
  const task = recordOf(hold.record);
  try {
    if (await storeIfHeld(deps, task)) {
      hold.handOver();
      return task;
    }
    using renewed = await withRetries(() => hold.holdAgain());
    const renewedTask = recordOf(renewed.record);
    deps.relay.log.warn(
      { ...ids, taskId: task.id, callId: renewedTask.callId },
      "a task had no hold: a new hold was placed",
    );
    if (!(await storeIfHeld(deps, renewedTask))) return undefined;
    renewed.handOver();
    return renewedTask;
  } catch (error) {
    const { id: taskId, callId } = task;
    deps.relay.log.error({ ...ids, err: error, taskId, callId }, "a started task could not be recorded");
    return undefined;
  }
}

/** Stores the record. Returns false if the hold no longer exists. */
async function storeIfHeld(deps: Deps, task: TaskRecord): Promise<boolean> {
  const creation = {
    task,
    nextPollAt: task.createdAt + deps.pace.firstMs,
    holdUntil: task.deadlineAt + holdLeaseMarginMs,
    keepMs: deps.limits.keepMs,
    callbackDueAt: deps.callbacks.leaseEnd(),
    cipher: deps.taskCipher,
  };
  const recorded = await withRetries(() => createTask(deps.relay.redis, creation));
  if (typeof recorded === "object") {
    deps.outbox.push(recorded);
    deps.callbacks.send(findCallback(task, [recorded]));
  }
  return recorded !== "no-hold";
}

/** Repeats a step while Redis is unavailable or being restored. Throws the error of the last attempt. */
async function withRetries<T>(step: () => Promise<T>): Promise<T> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "server_overloaded") throw error;
      await pause(delayMs);
    }
  }
  return step();
}
