import { type UsageEvent, type UsageDraft, type Nanos, present } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { receiptKinds, receiptOf } from "../money/receipt.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { holdScripts } from "../shared-scripts.ts";

/** A settled or open call that Redis has lost. */
export interface LostCall {
  readonly draft: UsageDraft;
  readonly costNanos: Nanos;
  /** Hash of the call's receipt; absent if the call was still open when Redis lost its hold. */
  readonly replaces?: string | undefined;
}

/** Time in ms for which a charge is remembered, so that no other ledger repeats it. A ledger needs far less time. */
const rememberMs = 86_400_000;

const chargeScript = defineScript({
  file: new URL("charge.lua", import.meta.url),
  shared: holdScripts,
  keys: ["account", "hold", "holds", "outbox", "charged"],
  args: { callId: "text", cost: "nanos", event: "text", replaces: "text?", rememberMs: "number" },
  replies: {
    charged: { entry: "text", ...receiptKinds },
    "charged-before": {},
    "no-account": {},
  },
});

/** Charges a lost call once. Returns undefined if it was charged before, or if its account does not exist (yet). */
export async function chargeLost(
  redis: Redis,
  { draft, costNanos, replaces }: LostCall,
): Promise<OutboxEntry<UsageEvent> | undefined> {
  const { accountId, id } = draft;
  const shard = shardOf(accountId);
  const reply = await chargeScript(
    redis,
    {
      account: accountKeys.account(accountId),
      hold: accountKeys.hold(accountId, id),
      holds: accountKeys.holds(shard),
      outbox: accountKeys.outbox(shard),
      charged: accountKeys.charged(accountId),
    },
    { callId: id, cost: costNanos, event: JSON.stringify(draft), replaces, rememberMs },
  );
  if (reply.verdict !== "charged") return undefined;
  const made = present({ ...receiptOf(reply), replaces });
  return { shard, entryId: reply.entry, event: { ...draft, costNanos: costNanos.toString(), receipt: made } };
}
