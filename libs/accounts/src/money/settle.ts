import type { Nanos, UsageDraft, UsageEvent } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import type { OutboxEntry } from "../outbox/entry.ts";
import { settlementScripts } from "../shared-scripts.ts";
import { within } from "./account.ts";
import { receiptKinds, receiptOf } from "./receipt.ts";

/** A call's end, as it is to be billed. */
export interface Settlement {
  readonly accountId: string;
  readonly callId: string;
  readonly tokenId: string;
  readonly costNanos: Nanos;
  /** All tokens used, for the token's minute. */
  readonly tokens: number;
  readonly draft: UsageDraft;
  /** The sweep's condition: settle only what is no longer renewed. */
  readonly onlyIfExpired?: boolean | undefined;
  /** Nothing was sent: where there is no hold, there is nothing to charge. */
  readonly onlyIfHeld?: boolean | undefined;
  /** Only in one of these runs of Redis (`run_id`, by spaces): of another it is not known whether the call was settled. */
  readonly onlyOn?: string | undefined;
  readonly nowMs?: number | undefined;
}

const run = defineScript({
  file: new URL("settle.lua", import.meta.url),
  shared: settlementScripts,
  keys: ["account", "hold", "holds", "outbox", "bucket", "late"],
  args: {
    callId: "text",
    cost: "nanos",
    event: "text",
    tokens: "number",
    nowMs: "number?",
    onlyIfExpired: "flag",
    onlyOn: "text?",
    queueLate: "flag",
  },
  grouped: true,
  replies: {
    settled: { entry: "text", uncovered: "nanos", ...receiptKinds },
    gone: {},
    leased: {},
    unsure: {},
  },
});

/**
 * Settles a call in one atomic step, exactly once by its call id; undefined where it was settled before. A cost
 * above the hold is taken from what is available, never below zero: the event's cost is what was really taken.
 */
export async function settle(redis: Redis, settlement: Settlement): Promise<OutboxEntry<UsageEvent> | undefined> {
  const { accountId, callId, tokenId, draft } = settlement;
  const cost = within(settlement.costNanos);
  const shard = shardOf(accountId);
  const reply = await run(
    redis,
    {
      account: accountKeys.account(accountId),
      hold: accountKeys.hold(accountId, callId),
      holds: accountKeys.holds(shard),
      outbox: accountKeys.outbox(shard),
      bucket: accountKeys.bucket(accountId, tokenId),
      late: accountKeys.late(shard),
    },
    {
      callId,
      cost,
      event: JSON.stringify(draft),
      tokens: Math.ceil(settlement.tokens),
      nowMs: settlement.nowMs,
      onlyIfExpired: settlement.onlyIfExpired ?? false,
      onlyOn: settlement.onlyOn,
      queueLate: settlement.onlyIfExpired !== true && settlement.onlyIfHeld !== true,
    },
  );
  if (reply.verdict !== "settled") return undefined;
  const costNanos = (cost - reply.uncovered).toString();
  return { shard, entryId: reply.entry, event: { ...draft, costNanos, receipt: receiptOf(reply) } };
}

/** Settles through an outage of Redis of about a minute: a settlement happens once, however often it is tried. */
export function settleWithRetry(redis: Redis, settlement: Settlement): Promise<OutboxEntry<UsageEvent> | undefined> {
  return retryThroughOutage(() => settle(redis, settlement));
}

/** Pauses between the tries, in ms: Redis is given about a minute to come back. */
const pausesMs = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

/**
 * Repeats a step that is harmless to repeat through an outage of Redis, for about a minute. Rejects with the last error:
 * the hold's lease then runs out, and the sweep settles it at its floor.
 */
export async function retryThroughOutage<Reply>(step: () => Promise<Reply>): Promise<Reply> {
  for (const pauseMs of pausesMs) {
    try {
      return await step();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return step();
}
