import type { UsageEvent, UsageDraft, Nanos } from "@modelgate/contracts";
import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";
import { receiptOf, receiptScript } from "../money/receipt.ts";
import type { OutboxEntry } from "../outbox/entry.ts";

/** A call that Redis does not know to be settled, and was. */
export interface LostCall {
  readonly draft: UsageDraft;
  readonly costNanos: Nanos;
  /** Hash of the receipt that it had; absent: it was open when Redis lost its hold. */
  readonly replaces?: string | undefined;
}

/** How long a charge is remembered, so that no other ledger makes it again: far longer than one works on it. */
const rememberMs = 86_400_000;

const run = defineScript(
  [receiptScript, new URL("../money/budgets.lua", import.meta.url), new URL("charge.lua", import.meta.url)],
  replyList,
);

/** Charges a lost call, once; undefined where it was charged before, or its account is not there (yet). */
export async function chargeLost(
  redis: Redis,
  { draft, costNanos, replaces }: LostCall,
): Promise<OutboxEntry<UsageEvent> | undefined> {
  const { accountId, id } = draft;
  const shard = shardOf(accountId);
  const [verdict, entryId = "", ...receipt] = await run(
    redis,
    [
      keys.account(accountId),
      keys.hold(accountId, id),
      keys.holds(shard),
      keys.outbox(shard),
      keys.charged(accountId),
    ],
    [id, costNanos.toString(), JSON.stringify(draft), replaces ?? "", rememberMs],
  );
  if (verdict !== "charged") return undefined;
  const made = { ...receiptOf(receipt), ...(replaces === undefined ? {} : { replaces }) };
  return { shard, entryId, event: { ...draft, costNanos: costNanos.toString(), receipt: made } };
}
