import { KeptTaskEvent, stored, type Nanos, type TaskState, type UsageDraft } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { within } from "../money/settle.ts";
import { receiptKinds, receiptOf } from "../money/receipt.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { settlementScripts } from "../shared-scripts.ts";
import { callbackArguments, callbackKinds, callbackOf } from "./callback.ts";
import { taskMember } from "./claim.ts";
import { taskEvent, type TaskRecord, type TaskSeal } from "./record.ts";

/** Cost at the end of a task, and its usage event. */
export interface TaskSettlement {
  readonly costNanos: Nanos;
  readonly draft: UsageDraft;
}

/** Next record of a task. */
export interface TaskAdvance {
  readonly task: TaskRecord;
  /** Version that the record was derived from. */
  readonly version: string;
  /** Time of the next poll, Unix ms; absent: the task has ended. */
  readonly dueAt?: number | undefined;
  /** Previous state, if it changed. */
  readonly from?: TaskState | undefined;
  /** Set at the end of the task: its cost if completed, zero if failed. */
  readonly settlement?: TaskSettlement | undefined;
  /** Time for which an ended task is kept, in ms. */
  readonly keepMs: number;
  /** Time from which another process may send the transition's callback, Unix ms; this process sends it immediately. */
  readonly callbackDueAt: number;
  readonly nowMs: number;
  /** Encrypts the record for its events; absent: the record is stored in Redis only. */
  readonly seal?: Pick<TaskSeal, "seal"> | undefined;
}

const run = defineScript({
  file: new URL("advance.lua", import.meta.url),
  shared: settlementScripts,
  keys: ["task", "due", "account", "hold", "holds", "outbox", "callbacksDue", "callbacks", "late"],
  args: {
    member: "text",
    version: "text",
    record: "text",
    dueAt: "number?",
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
 * Replaces a task's record if it still has the version that was read. If several processes have read the same version,
 * only one succeeds; the settlement and the events are written in the same step. Undefined for the others. Earlier
 * events of the task that were not published, because their process died, are returned before the new ones: they must
 * be published in this order.
 */
export async function advanceTask(redis: Redis, advance: TaskAdvance): Promise<readonly OutboxEntry[] | undefined> {
  const { task, version, dueAt, from, settlement, keepMs, callbackDueAt, nowMs } = advance;
  const { id, accountId, callId } = task;
  const shard = shardOf(accountId);
  const event = from === undefined ? undefined : taskEvent(task, { from, nowMs, keepMs, seal: advance.seal });
  const cost = settlement === undefined ? 0n : within(settlement.costNanos);
  const reply = await run(
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
    },
    {
      member: taskMember(task),
      version,
      record: JSON.stringify(task),
      dueAt,
      keepMs,
      event: event && JSON.stringify(event),
      settleCall: settlement && callId,
      cost,
      usageEvent: settlement && JSON.stringify(settlement.draft),
      nowMs,
      ...callbackArguments(event && callbackOf(task, event), callbackDueAt),
    },
  );
  if (reply.verdict === "stale") return undefined;
  const entries = earlierEntries(shard, reply.earlier);
  if (event !== undefined) entries.push({ shard, entryId: reply.taskEntry ?? "", event });
  if (settlement !== undefined && reply.verdict === "settled") {
    const costNanos = (cost - reply.uncovered).toString();
    entries.push({
      shard,
      entryId: reply.usageEntry,
      event: { ...settlement.draft, costNanos, receipt: receiptOf(reply) },
    });
  }
  return entries;
}

const readEvent = stored("task event", KeptTaskEvent);

/** Parses pairs of entry id and JSON into events. */
function earlierEntries(shard: string, parts: readonly string[]): OutboxEntry[] {
  const found: OutboxEntry[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    found.push({ shard, entryId: parts[at] ?? "", event: readEvent(parts[at + 1] ?? "") });
  }
  return found;
}
