import type { Nanos, TaskEvent, TaskState, UsageDraft } from "@modelgate/contracts";
import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";
import { within } from "../money/bounds.ts";
import { receiptOf, receiptScript } from "../money/receipt.ts";
import type { OutboxEntry } from "../outbox/entry.ts";
import { callbackArguments, callbackOf } from "./callback.ts";
import { placeName } from "./claim.ts";
import { taskEvent, type TaskRecord } from "./record.ts";

/** What a task's end costs, and the usage event that tells of it. */
export interface TaskSettlement {
  readonly costNanos: Nanos;
  readonly draft: UsageDraft;
}

/** A task's next record. */
export interface TaskAdvance {
  readonly task: TaskRecord;
  /** The version that the record was made from. */
  readonly version: string;
  /** When to look again, Unix ms; absent: never, the task has ended. */
  readonly dueAt?: number | undefined;
  /** The state that it came from, where it has another one now. */
  readonly from?: TaskState | undefined;
  /** With the end: completed at its cost, or failed at nothing. */
  readonly settlement?: TaskSettlement | undefined;
  /** How long an ended task is kept, in ms. */
  readonly keepMs: number;
  /** When another process may tell the transition's callback, Unix ms: this one tells it at once. */
  readonly callbackDueAt: number;
  readonly nowMs: number;
}

const run = defineScript(
  [
    receiptScript,
    ...["../money/budgets.lua", "../money/settlement.lua", "advance.lua"].map((file) => new URL(file, import.meta.url)),
  ],
  replyList,
);

/**
 * Puts the next record into its place if the task is still at the version that was read: of several who saw the same,
 * one wins, and with it the settlement and the events. Undefined for those who came later. Before the new events of the
 * task come those that nobody has published yet, as their process died: in this order they are told.
 */
export async function advanceTask(redis: Redis, advance: TaskAdvance): Promise<readonly OutboxEntry[] | undefined> {
  const { task, version, dueAt, from, settlement, keepMs, callbackDueAt, nowMs } = advance;
  const { id, accountId, tokenId, callId } = task;
  const shard = shardOf(accountId);
  const event = from === undefined ? undefined : taskEvent(task, from, nowMs);
  const cost = settlement === undefined ? 0n : within(settlement.costNanos);
  const [verdict, taskEntry = "", usageEntry = "", uncovered = "0", ...more] = await run(
    redis,
    [
      keys.task(accountId, id),
      keys.tasksDue(shard),
      keys.account(accountId),
      keys.hold(accountId, callId),
      keys.holds(shard),
      keys.outbox(shard),
      keys.bucket(accountId, tokenId),
      keys.callbacksDue(shard),
      keys.callbacks(shard),
      keys.late(shard),
    ],
    [
      placeName(task),
      version,
      JSON.stringify(task),
      dueAt ?? "",
      keepMs,
      event === undefined ? "" : JSON.stringify(event),
      settlement === undefined ? "" : callId,
      cost.toString(),
      settlement === undefined ? "" : JSON.stringify(settlement.draft),
      nowMs,
      ...callbackArguments(event && callbackOf(task, event), callbackDueAt),
    ],
  );
  if (verdict !== "advanced") return undefined;
  const told = leftEntries(shard, more.slice(receiptLength));
  if (event !== undefined) told.push({ shard, entryId: taskEntry, event });
  if (settlement !== undefined && usageEntry !== "") {
    const costNanos = (cost - BigInt(uncovered)).toString();
    told.push({
      shard,
      entryId: usageEntry,
      event: { ...settlement.draft, costNanos, receipt: receiptOf(more.slice(0, receiptLength)) },
    });
  }
  return told;
}

/** Members of a receipt in the reply. */
const receiptLength = 4;

/** Events in pairs of entry id and JSON. */
function leftEntries(shard: string, parts: readonly string[]): OutboxEntry[] {
  const found: OutboxEntry[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const event: TaskEvent = JSON.parse(parts[at + 1] ?? "");
    found.push({ shard, entryId: parts[at] ?? "", event });
  }
  return found;
}
