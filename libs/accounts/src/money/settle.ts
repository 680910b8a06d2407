import type { Nanos, Receipt, UsageDraft, UsageEvent } from "@modelgate/contracts";
import { defineScript, type Redis, type Values } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { settlementScripts } from "../shared-scripts.ts";
import { maxAmount } from "./account.ts";

/** Settlement of a call that has ended. */
export interface Settlement {
  readonly accountId: string;
  readonly callId: string;
  readonly costNanos: Nanos;
  readonly tokens: number;
  readonly draft: UsageDraft;
  /** True if the hold is settled only if its lease has ended. */
  readonly onlyIfExpired?: boolean | undefined;
  /** True if the ledger must not charge the call when its hold is missing, because no request was sent. */
  readonly onlyIfHeld?: boolean | undefined;
  /**
   * Run ids of the Redis servers (`run_id`, separated by spaces) on which the call may be settled; default any. Another
   * server may have lost an earlier settlement of the call.
   */
  readonly runIds?: string | undefined;
  readonly nowMs?: number | undefined;
}

export const receiptKinds = { number: "number", previous: "text", balance: "text", hash: "text" } as const;

/** Builds a receipt from a script's reply. */
export function parseReceipt({ number, previous, balance, hash }: Values<typeof receiptKinds>): Receipt {
  return { number, previous, balanceNanos: balance, hash };
}

const settleScript = defineScript({
  file: new URL("settle.lua", import.meta.url),
  shared: settlementScripts,
  keys: ["account", "hold", "holds", "outbox", "late", "budgets"],
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
 * Settles a call in one atomic step, exactly once per call id. Returns undefined if it was settled before, its hold is
 * lost, or a condition of `Settlement` is not met. A cost above the hold is taken from the available amount until that
 * is zero. The remainder is not charged.
 */
export async function settle(redis: Redis, settlement: Settlement): Promise<OutboxEntry<UsageEvent> | undefined> {
  const { accountId, callId, draft } = settlement;
  const cost = limitToMaximum(settlement.costNanos);
  const shard = shardOf(accountId);
  const eventText = JSON.stringify(draft);
  const reply = await settleScript(
    redis,
    {
      account: accountKeys.account(accountId),
      hold: accountKeys.hold(accountId, callId),
      holds: accountKeys.holds(shard),
      outbox: accountKeys.outbox(shard),
      late: accountKeys.late(shard),
      budgets: accountKeys.budgets(accountId),
    },
    {
      callId,
      cost,
      event: eventText,
      tokens: Math.ceil(settlement.tokens),
      nowMs: settlement.nowMs,
      onlyIfExpired: settlement.onlyIfExpired ?? false,
      runIds: settlement.runIds,
      queueLate: settlement.onlyIfExpired !== true && settlement.onlyIfHeld !== true,
    },
  );
  if (reply.verdict !== "settled") return undefined;
  const charge = { costNanos: (cost - reply.uncovered).toString(), receipt: parseReceipt(reply) };
  const text = `${eventText.slice(0, -1)},${JSON.stringify(charge).slice(1)}`;
  return { shard, entryId: reply.entry, event: { ...draft, ...charge }, text };
}

export function limitToMaximum(nanos: Nanos): Nanos {
  return nanos > maxAmount ? maxAmount : nanos;
}

/** Pauses in ms before the retries: about a minute in total. The last one is repeated. */
const pausesMs = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

/**
 * Retries an idempotent step during an outage of Redis: for about a minute, and then while `goesOn` returns true. Rejects
 * with the last error.
 */
export async function retryDuringOutage<Reply>(
  step: () => Promise<Reply>,
  goesOn: (error: unknown) => boolean = () => false,
): Promise<Reply> {
  for (let repetition = 0; ; repetition++) {
    await new Promise((resolve) => setTimeout(resolve, pausesMs[repetition] ?? pausesMs.at(-1)));
    try {
      return await step();
    } catch (error) {
      if (repetition + 1 >= pausesMs.length && !goesOn(error)) throw error;
    }
  }
}
