import {
  shards,
  advanceTask,
  findCallback,
  claimTasks,
  findTask,
  type StoredTask,
  type TaskKey,
  type TaskSettlement,
  type TaskRecord,
} from "@modelgate/accounts";
import type { Deps } from "../deps.ts";
import { advance, isEnded, isHoldExpiring, postpone, type PollMoment, type PollStep } from "./advance.ts";
import { pollVendor } from "./poll-vendor.ts";
import { PollSlots } from "./poll-slots.ts";

/** Result of a round of polls. */
export interface PollRound {
  readonly polled: number;
  /** True if a shard may have more due tasks than were claimed. */
  readonly hasMore: boolean;
}

/**
 * Polls the due tasks of all shards once. Several pollers may run at the same time. Rejects if Redis is unavailable.
 */
export async function pollOnce(
  deps: Deps,
  signal: AbortSignal,
  slots: PollSlots = new PollSlots(deps.limits.concurrency),
): Promise<PollRound> {
  const { limits, relay } = deps;
  const claim = { nowMs: deps.now(), leaseMs: limits.leaseMs, maxMembers: limits.batch };
  const claimed = await Promise.all(shards.map((shard) => claimTasks(relay.redis, shard, claim)));
  const polls = claimed.flat().map(async (task) => {
    using _slot = await slots.takeSlot();
    return !signal.aborted && (await pollTask(deps, task, slots, signal));
  });
  const polled = (await Promise.all(polls)).filter((isPolled) => isPolled).length;
  return { polled, hasMore: claimed.some(({ length }) => length === limits.batch) };
}

/** Polls the vendor of a claimed task and stores the result. Returns false if the vendor was not polled. */
async function pollTask(
  deps: Deps,
  { accountId, id }: TaskKey,
  slots: PollSlots,
  signal: AbortSignal,
): Promise<boolean> {
  const stored = await findTask(deps.relay.redis, accountId, id);
  if (stored === undefined) return false;
  const { task } = stored;
  const moment = (): PollMoment => ({ nowMs: deps.now(), random: deps.random(), pace: deps.pace });
  using poll = slots.countPoll(task.channelId);
  if ((poll === undefined || isHoldExpiring(task, deps.now())) && !isEnded(task.state)) {
    await storeStep(deps, stored, postpone(task, moment()));
    return false;
  }
  const result = await pollVendor(deps, task, signal);
  if (signal.aborted) return true;
  const step = advance(task, result, moment());
  if (step !== undefined) await storeStep(deps, stored, step);
  return true;
}

/** Stores a step, unless another process has changed the task meanwhile. Settles a task that has ended. */
async function storeStep(
  deps: Deps,
  { task: before, version }: StoredTask,
  { task, nextPollAt }: PollStep,
): Promise<void> {
  const nowMs = deps.now();
  const entries = await advanceTask(deps.relay.redis, {
    task,
    version,
    nextPollAt,
    from: before.state === task.state ? undefined : before.state,
    settlement: isEnded(task.state) ? settlementOf(task, nowMs) : undefined,
    keepMs: deps.limits.keepMs,
    callbackDueAt: deps.callbacks.leaseEnd(),
    cipher: deps.taskCipher,
    nowMs,
  });
  if (entries === undefined) return;
  deps.outbox.push(...entries);
  if (before.state === task.state) return;
  deps.callbacks.send(findCallback(task, entries));
  deps.relay.log.info(
    {
      taskId: task.id,
      account: task.accountId,
      model: task.model,
      channel: task.channelId,
      state: task.state,
      error: task.error?.code,
      ms: nowMs - task.createdAt,
    },
    "task",
  );
}

/** Returns the settlement of a task that has ended: its cost if it is completed, zero if it failed. */
function settlementOf(task: TaskRecord, nowMs: number): TaskSettlement {
  const draft = { ...task.draft, time: new Date(nowMs).toISOString(), latencyMs: Math.max(0, nowMs - task.createdAt) };
  if (task.state === "completed") return { costNanos: BigInt(task.costNanos), draft };
  return { costNanos: 0n, draft: { ...draft, outcome: "failed", units: {} } };
}
