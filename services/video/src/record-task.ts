import { setTimeout as pause } from "node:timers/promises";
import { callbackAmong, createTask, holdBeyondMs, type TaskRecord } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { RequestIds } from "@modelgate/platform";
import type { JobMoney, UsageRecord } from "@modelgate/relay";
import type { Deps } from "./deps.ts";

/** Pauses between attempts in ms; short, because the vendor has started and a client waits. */
const pausesMs = [50, 100, 250, 500, 1_000, 2_000, 4_000];

/** A task that its vendor has accepted. */
export interface AcceptedTask {
  readonly held: JobMoney;
  /** Returns its record, with the call that pays for it. */
  readonly recordOf: (call: UsageRecord) => TaskRecord;
  readonly ids: RequestIds;
}

/**
 * Records a task that its vendor has accepted, retries through a short outage of Redis, and transfers the reservation
 * to the task. Returns undefined where recording failed. If Redis lost the reservation, reserves the amount again under
 * another call id: the vendor is working, so the client gets the video and pays for it once.
 */
export async function recordTask(deps: Deps, { held, recordOf, ids }: AcceptedTask): Promise<TaskRecord | undefined> {
  const task = recordOf(held.record);
  try {
    if (await recordWith(deps, task)) {
      held.handOver();
      return task;
    }
    using again = await withRetries(() => held.again());
    const paid = recordOf(again.record);
    deps.relay.log.warn(
      { ...ids, taskId: task.id, callId: paid.callId },
      "a task found no hold: money is held for it again",
    );
    if (!(await recordWith(deps, paid))) return undefined;
    again.handOver();
    return paid;
  } catch (error) {
    const { id: taskId, callId } = task;
    deps.relay.log.error({ ...ids, err: error, taskId, callId }, "a started task could not be recorded");
    return undefined;
  }
}

/**
 * Writes the record. Returns false where the reservation is gone. A repeated attempt recognizes a record whose reply
 * was lost.
 */
async function recordWith(deps: Deps, task: TaskRecord): Promise<boolean> {
  const creation = {
    task,
    dueAt: task.createdAt + deps.pace.firstMs,
    holdUntil: task.deadlineAt + holdBeyondMs,
    keepMs: deps.limits.keepMs,
    callbackDueAt: deps.callbacks.leaseEnd(),
    seal: deps.taskSeal,
  };
  const recorded = await withRetries(() => createTask(deps.relay.redis, creation));
  if (typeof recorded === "object") {
    deps.outbox.push(recorded);
    deps.callbacks.send(callbackAmong(task, [recorded]));
  }
  return recorded !== "no-hold";
}

/** Repeats a step while Redis is unavailable or being restored. Throws the error of the last attempt. */
async function withRetries<T>(step: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "server_overloaded") throw error;
      await pause(pauseMs);
    }
  }
  return step();
}
