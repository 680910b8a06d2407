import type { Nanos, UsageDraft, UsageEvent } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { settlementScripts } from "../shared-scripts.ts";
import { largestAmount } from "./account.ts";
import { receiptKinds, receiptOf } from "./receipt.ts";

/** End of a call, as it is billed. */
export interface Settlement {
  readonly accountId: string;
  readonly callId: string;
  readonly costNanos: Nanos;
  /** Total tokens of the call, counted against the API key's tokens per minute. */
  readonly tokens: number;
  readonly draft: UsageDraft;
  /** Used by the sweep: settles only a hold whose lease has ended. */
  readonly onlyIfExpired?: boolean | undefined;
  /** Settles only an existing hold, because no request was sent. */
  readonly onlyIfHeld?: boolean | undefined;
  /**
   * Runs of Redis (`run_id`, separated by spaces) in which the call may be settled: in another run it may have been
   * settled already. Absent: any run.
   */
  readonly runIds?: string | undefined;
  readonly nowMs?: number | undefined;
}

const run = defineScript({
  file: new URL("settle.lua", import.meta.url),
  shared: settlementScripts,
  keys: ["account", "hold", "holds", "outbox", "late"],
  args: {
    callId: "text",
    cost: "nanos",
    event: "text",
    tokens: "number",
    nowMs: "number?",
    onlyIfExpired: "flag",
    runIds: "text?",
    queueLate: "flag",
  },
  grouped: true,
  replies: {
    settled: { entry: "text", uncovered: "nanos", ...receiptKinds },
    gone: {},
    leased: {},
    "other-run": {},
  },
});

/**
 * Settles a call in one atomic step, exactly once per call id. Undefined if it was settled before. A cost above the
 * hold is taken from the available amount, never below zero; the event records the amount that was taken.
 */
export async function settle(redis: Redis, settlement: Settlement): Promise<OutboxEntry<UsageEvent> | undefined> {
  const { accountId, callId, draft } = settlement;
  const cost = within(settlement.costNanos);
  const shard = shardOf(accountId);
  const reply = await run(
    redis,
    {
      account: accountKeys.account(accountId),
      hold: accountKeys.hold(accountId, callId),
      holds: accountKeys.holds(shard),
      outbox: accountKeys.outbox(shard),
      late: accountKeys.late(shard),
    },
    {
      callId,
      cost,
      event: JSON.stringify(draft),
      tokens: Math.ceil(settlement.tokens),
      nowMs: settlement.nowMs,
      onlyIfExpired: settlement.onlyIfExpired ?? false,
      runIds: settlement.runIds,
      queueLate: settlement.onlyIfExpired !== true && settlement.onlyIfHeld !== true,
    },
  );
  if (reply.verdict !== "settled") return undefined;
  const costNanos = (cost - reply.uncovered).toString();
  return { shard, entryId: reply.entry, event: { ...draft, costNanos, receipt: receiptOf(reply) } };
}

/** Returns an amount, at most the maximum of one step. */
export function within(nanos: Nanos): Nanos {
  return nanos > largestAmount ? largestAmount : nanos;
}

/** Settles a call; retries during an outage of Redis for about a minute. A repeated settlement has no effect. */
export async function settleWithRetry(
  redis: Redis,
  settlement: Settlement,
): Promise<OutboxEntry<UsageEvent> | undefined> {
  try {
    return await settle(redis, settlement);
  } catch {
    return await repeatThroughOutage(() => settle(redis, settlement));
  }
}

/** Pauses before the retries, in ms: about a minute in total. */
const pausesMs = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

/**
 * Retries an idempotent step during an outage of Redis for about a minute. Rejects with the last error: the hold's
 * lease then ends, and the sweep settles it at its floor.
 */
export async function repeatThroughOutage<Reply>(step: () => Promise<Reply>): Promise<Reply> {
  for (let repetition = 0; ; repetition++) {
    await new Promise((resolve) => setTimeout(resolve, pausesMs[repetition]));
    try {
      return await step();
    } catch (error) {
      if (repetition + 1 === pausesMs.length) throw error;
    }
  }
}
