import { type UsageEvent, type UsageDraft, type Nanos, withoutUndefined } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { withBudgets } from "../budgets/account-budgets.ts";
import { budgetLines, budgetsOfCall } from "../budgets/budget.ts";
import { accountKeys, shardOf } from "../keys.ts";
import { parseReceipt, receiptKinds } from "../money/settle.ts";
import type { OutboxEntry } from "../outbox/publish.ts";
import { holdScripts } from "../shared-scripts.ts";
import { findTokenById } from "../tokens/token.ts";

/** A settled or open call that Redis has lost. */
export interface LostCall {
  readonly draft: UsageDraft;
  readonly costNanos: Nanos;
  /** Hash of the call's receipt; absent if the call was still open. */
  readonly replaces?: string | undefined;
}

/** Time in ms for which a charge is remembered, so that no other ledger repeats it. */
export const rememberMs = 86_400_000;

const chargeScript = defineScript({
  file: new URL("charge.lua", import.meta.url),
  shared: holdScripts,
  keys: ["account", "hold", "holds", "outbox", "charged", "budgets", "budgetList"],
  args: {
    callId: "text",
    cost: "nanos",
    event: "text",
    replaces: "text?",
    rememberMs: "number",
    budgetsVersion: "text",
    lines: "text",
  },
  replies: {
    charged: { entry: "text", ...receiptKinds },
    "charged-before": {},
    "no-account": {},
    "other-budgets": { version: "text", list: "text" },
  },
});

/** Charges a lost call once. Returns undefined if it was charged before, or if its account does not exist (yet). */
export async function chargeLost(
  redis: Redis,
  { draft, costNanos, replaces }: LostCall,
): Promise<OutboxEntry<UsageEvent> | undefined> {
  const { accountId, id } = draft;
  const shard = shardOf(accountId);
  const keys = {
    account: accountKeys.account(accountId),
    hold: accountKeys.hold(accountId, id),
    holds: accountKeys.holds(shard),
    outbox: accountKeys.outbox(shard),
    charged: accountKeys.charged(accountId),
    budgets: accountKeys.budgets(accountId),
    budgetList: accountKeys.budgetList(accountId),
  };
  const call = { callId: id, cost: costNanos, event: JSON.stringify(draft), replaces, rememberMs };
  const reply = await withBudgets(redis, accountId, async ({ version, budgets }) => {
    // A member's key also uses the budgets of the operator's key whose limits it shares.
    const token = budgets.length === 0 ? undefined : await findTokenById(redis, draft.tokenId);
    const lines = budgetLines(budgetsOfCall(budgets, draft, Date.parse(draft.time), token?.within?.id));
    return chargeScript(redis, keys, { ...call, budgetsVersion: version, lines });
  });
  if (reply.verdict !== "charged") return undefined;
  const receipt = withoutUndefined({ ...parseReceipt(reply), replaces });
  return { shard, entryId: reply.entry, event: { ...draft, costNanos: costNanos.toString(), receipt } };
}
