import type { Nanos, TaskState, UsageDraft } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { limitToMaximum, parseReceipt, receiptKinds } from "../money/settle.ts";
import { readTaskEntries, type OutboxEntry } from "../outbox/publish.ts";
import { settlementScripts, unpublishedScript } from "../shared-scripts.ts";
import { callbackArguments, callbackKinds, makeCallback } from "./callback.ts";
import { taskMember } from "./claim.ts";
import { makeTaskEvent, type TaskRecord, type TaskCipher } from "./record.ts";

/** Cost of an ended task, and its usage event. */
export interface TaskSettlement {
  readonly costNanos: Nanos;
  readonly draft: UsageDraft;
}

/** The next state of a task. */
export interface TaskAdvance {
  readonly task: TaskRecord;
  /** Version of the stored record from which `task` was derived. */
  readonly version: string;
  /** Unix time in ms of the next poll; absent if the task has ended. */
  readonly nextPollAt?: number | undefined;
  /** Previous state of the task, if the state changes. */
  readonly from?: TaskState | undefined;
  /** Set when the task ends. The cost of a failed task is zero. */
  readonly settlement?: TaskSettlement | undefined;
  /** Time in ms for which an ended task is stored. */
  readonly keepMs: number;
  /** Unix time in ms from which other processes may send the callback. This process sends it immediately. */
  readonly callbackDueAt: number;
  readonly nowMs: number;
  /** Encrypts the record for its event; absent if the event contains no copy of the record. */
  readonly cipher?: Pick<TaskCipher, "encrypt"> | undefined;
}

const advanceScript = defineScript({
  file: new URL("advance.lua", import.meta.url),
  shared: [unpublishedScript, ...settlementScripts],
  keys: ["task", "due", "account", "hold", "holds", "outbox", "callbacksDue", "callbacks", "late", "budgets"],
  args: {
    member: "text",
    version: "text",
    record: "text",
    nextPollAt: "number?",
    keepMs: "number",
    event: "text?",
    settleCall: "text?",
    cost: "nanos",
    usageEvent: "text?",
    nowMs: "number",
    ...callbackKinds,
  },
  replies: {
    advanced: { taskEntry: "text?", earlier: "text[]" },
    settled: { taskEntry: "text?", usageEntry: "text", uncovered: "nanos", ...receiptKinds, earlier: "text[]" },
    stale: {},
  },
});

/**
 * Replaces a task's record if it still has the version that was read, and writes settlement and events in the same
 * step. Returns undefined if another process was first. Otherwise returns the events to publish: earlier ones that were
 * not published, then the new ones.
 */
export async function advanceTask(redis: Redis, advance: TaskAdvance): Promise<readonly OutboxEntry[] | undefined> {
  const { task, version, nextPollAt, from, settlement, keepMs, callbackDueAt, nowMs } = advance;
  const { id, accountId, callId } = task;
  const shard = shardOf(accountId);
  const event = from === undefined ? undefined : makeTaskEvent(task, { from, nowMs, keepMs, cipher: advance.cipher });
  const cost = settlement === undefined ? 0n : limitToMaximum(settlement.costNanos);
  const reply = await advanceScript(
    redis,
    {
      task: accountKeys.task(accountId, id),
      due: accountKeys.tasksDue(shard),
      account: accountKeys.account(accountId),
      hold: accountKeys.hold(accountId, callId),
      holds: accountKeys.holds(shard),
      outbox: accountKeys.outbox(shard),
      callbacksDue: accountKeys.callbacksDue(shard),
      callbacks: accountKeys.callbacks(shard),
      late: accountKeys.late(shard),
      budgets: accountKeys.budgets(accountId),
    },
    {
      member: taskMember(task),
      version,
      record: JSON.stringify(task),
      nextPollAt,
      keepMs,
      event: event && JSON.stringify(event),
      settleCall: settlement && callId,
      cost,
      usageEvent: settlement && JSON.stringify(settlement.draft),
      nowMs,
      ...callbackArguments(event && makeCallback(task, event), callbackDueAt),
    },
  );
  if (reply.verdict === "stale") return undefined;
  const entries = readTaskEntries(shard, reply.earlier);
  if (event !== undefined) entries.push({ shard, entryId: reply.taskEntry ?? "", event });
  if (settlement !== undefined && reply.verdict === "settled") {
    const costNanos = (cost - reply.uncovered).toString();
    entries.push({
      shard,
      entryId: reply.usageEntry,
      event: { ...settlement.draft, costNanos, receipt: parseReceipt(reply) },
    });
  }
  return entries;
}
