import type { Nanos, UsageDraft, UsageEvent } from "@modelgate/contracts";
import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";
import type { OutboxEntry } from "../outbox/entry.ts";
import { within } from "./bounds.ts";
import { receiptOf, receiptScript } from "./receipt.ts";

/** A call's end, as it is to be billed. */
export interface Settlement {
  readonly accountId: string;
  readonly callId: string;
  readonly tokenId: string;
  readonly costNanos: Nanos;
  /** All tokens used, for the token's minute. */
  readonly tokens: number;
  readonly draft: UsageDraft;
  /** The sweep's condition: settle only what nobody holds on to any more. */
  readonly onlyIfExpired?: boolean;
  /** Nothing was sent: where there is no hold, there is nothing to charge. */
  readonly onlyIfHeld?: boolean;
  readonly nowMs?: number;
}

const run = defineScript(
  [receiptScript, ...["budgets.lua", "settlement.lua", "settle.lua"].map((file) => new URL(file, import.meta.url))],
  replyList,
);

/**
 * Settles a call in one atomic step, exactly once by its call id; undefined where it was settled before. A cost
 * above the hold is taken from what is available, never below zero: the event's cost is what was really taken.
 */
export async function settle(redis: Redis, settlement: Settlement): Promise<OutboxEntry<UsageEvent> | undefined> {
  const { accountId, callId, tokenId, draft } = settlement;
  const cost = within(settlement.costNanos);
  const shard = shardOf(accountId);
  const [verdict, entryId = "", uncovered = "0", ...receipt] = await run(
    redis,
    [
      keys.account(accountId),
      keys.hold(accountId, callId),
      keys.holds(shard),
      keys.outbox(shard),
      keys.bucket(accountId, tokenId),
      keys.late(shard),
    ],
    [
      callId,
      cost.toString(),
      JSON.stringify(draft),
      Math.ceil(settlement.tokens),
      settlement.nowMs ?? 0,
      settlement.onlyIfExpired ? "1" : "0",
      settlement.onlyIfExpired || settlement.onlyIfHeld ? "0" : "1",
    ],
  );
  if (verdict !== "settled") return undefined;
  return {
    shard,
    entryId,
    event: { ...draft, costNanos: (cost - BigInt(uncovered)).toString(), receipt: receiptOf(receipt) },
  };
}

/** Pauses between the tries of `settleSurely`, in ms: Redis is given about a minute to come back. */
const pausesMs = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

/**
 * Settles through an outage of Redis: tried again for about a minute, harmless because a settlement happens once.
 * After that the hold's lease runs out and the sweep settles it at its floor. Rejects with the last error.
 */
export async function settleSurely(redis: Redis, settlement: Settlement): Promise<OutboxEntry<UsageEvent> | undefined> {
  for (const pauseMs of pausesMs) {
    try {
      return await settle(redis, settlement);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return settle(redis, settlement);
}
