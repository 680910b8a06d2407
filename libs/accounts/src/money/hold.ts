import { Failure, formatUsd, type Budgets, type Nanos, type UsageDraft } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { withBudgets, type CurrentReply } from "../budgets/account-budgets.ts";
import {
  appliedBudget,
  budgetLines,
  budgetsOfCall,
  budgetsOfCaller,
  type AppliedBudget,
  type Budget,
} from "../budgets/budget.ts";
import { overBudgetMessage } from "../budgets/over-budget.ts";
import { accountKeys, shardOf } from "../keys.ts";
import { repeatRead } from "../restore/epoch.ts";
import { holdScripts } from "../shared-scripts.ts";
import { maxAmount } from "./account.ts";

/** Request to reserve money for one call before it is sent. */
export interface HoldRequest {
  readonly accountId: string;
  /** Id of the call, created by the gateway. A call is settled once per id. */
  readonly callId: string;
  readonly nanos: Nanos;
  /** Minimum cost once the call is sent. If the service dies, the sweep charges it. */
  readonly floorNanos: Nanos;
  readonly draft: UsageDraft;
  readonly tokenId: string;
  /** Id of the limits of tokens per minute; default: those of the API key. */
  readonly limitsId?: string | undefined;
  /** Number of tokens to reserve in the current minute. */
  readonly tokens: number;
  readonly tokensPerMinute?: number | undefined;
  /** Budgets of the API key and its group, in addition to those in the account's list. */
  readonly budgets?: Budgets | undefined;
  readonly leaseMs: number;
  /** Maximum number of events in the outbox of the account's shard. Beyond it, calls are refused. */
  readonly outboxBound: number;
  /** Unix time in ms for tests; default: the clock of Redis. */
  readonly nowMs?: number;
}

const holdScript = defineScript({
  file: new URL("hold.lua", import.meta.url),
  shared: holdScripts,
  keys: ["account", "hold", "holds", "outbox", "bucket", "budgets", "budgetList"],
  args: {
    callId: "text",
    nanos: "nanos",
    floor: "nanos",
    draft: "text",
    leaseMs: "number",
    outboxBound: "number",
    tokens: "number",
    tokensPerMinute: "number",
    accountId: "text",
    nowMs: "number?",
    budgetsVersion: "text",
    lines: "text",
  },
  grouped: true,
  replies: {
    held: {},
    "held-before": {},
    "outbox-full": {},
    "no-account": {},
    disabled: {},
    "too-low": { left: "nanos" },
    tokens: { waitMs: "number" },
    "over-budget": { at: "number", left: "nanos", covered: "nanos" },
    "other-budgets": { version: "text", list: "text" },
  },
});

type HoldReply = CurrentReply<Awaited<ReturnType<typeof holdScript>>>;

/** Failure (402) of a hold that exceeds the available money or a budget. */
export class InsufficientQuota extends Failure {
  /** Minimum of the available money and the remaining amount of each hard budget. It may be negative. */
  readonly remainingNanos: Nanos;

  constructor(message: string, remainingNanos: Nanos, budget?: string) {
    super("insufficient_quota", message, { budget });
    this.remainingNanos = remainingNanos;
  }
}

/**
 * Reserves money in one atomic step. Throws Failure insufficient_quota (402), account_disabled (403),
 * rate_limit_exceeded (429, tokens per minute) or server_overloaded (503).
 */
export async function hold(redis: Redis, request: HoldRequest): Promise<void> {
  if (request.nanos > maxAmount) throw new Failure("insufficient_quota", tooLowMessage(request));
  const { accountId, callId, tokenId } = request;
  const shard = shardOf(accountId);
  let budgets: readonly AppliedBudget[] = [];
  const attempt = (): Promise<HoldReply> =>
    withBudgets(redis, accountId, (current) => {
      // Most accounts have no budgets.
      const hasBudgets = request.budgets !== undefined || current.budgets.length > 0;
      budgets = hasBudgets ? budgetsOf(request, current.budgets) : [];
      return holdScript(
        redis,
        {
          account: accountKeys.account(accountId),
          hold: accountKeys.hold(accountId, callId),
          holds: accountKeys.holds(shard),
          outbox: accountKeys.outbox(shard),
          bucket: accountKeys.bucket(accountId, request.limitsId ?? tokenId),
          budgets: accountKeys.budgets(accountId),
          budgetList: accountKeys.budgetList(accountId),
        },
        {
          callId,
          nanos: request.nanos,
          floor: request.floorNanos,
          draft: JSON.stringify(request.draft),
          leaseMs: request.leaseMs,
          outboxBound: request.outboxBound,
          tokens: Math.ceil(request.tokens),
          tokensPerMinute: request.tokensPerMinute ?? 0,
          accountId,
          nowMs: request.nowMs,
          budgetsVersion: current.version,
          lines: hasBudgets ? budgetLines(budgets) : "",
        },
      );
    });
  let reply = await orUnavailable(attempt());
  if (reply.verdict === "no-account") reply = await orUnavailable(repeatRead(redis, attempt));
  if (reply.verdict !== "held") throw refusalOf(reply, request, budgets);
}

function budgetsOf(
  { budgets: limits, draft, nowMs = Date.now() }: HoldRequest,
  listed: readonly Budget[],
): readonly AppliedBudget[] {
  const callerBudgets = budgetsOfCaller(limits, draft).map((budget) => appliedBudget(budget, nowMs));
  return [...callerBudgets, ...budgetsOfCall(listed, draft, nowMs, limits?.within)];
}

function refusalOf(
  reply: Exclude<HoldReply, { readonly verdict: "held" }>,
  request: HoldRequest,
  budgets: readonly AppliedBudget[],
): Error {
  switch (reply.verdict) {
    case "held-before":
      return new Error(`call ${request.callId} already has a hold`);
    case "too-low":
      return new InsufficientQuota(tooLowMessage(request), reply.left);
    case "no-account":
      return new Failure("insufficient_quota");
    case "disabled":
      return new Failure("account_disabled");
    case "tokens":
      return new Failure(
        "rate_limit_exceeded",
        `This call needs about ${request.tokens} tokens; the key's ${request.tokensPerMinute ?? 0} tokens per minute are used up for now.`,
        { retryAfterSeconds: Math.max(1, Math.ceil(reply.waitMs / 1_000)) },
      );
    case "outbox-full":
      return new Failure("server_overloaded", "Too many events are waiting to be published; try again shortly.", {
        retryAfterSeconds: 5,
      });
    case "over-budget":
      break;
  }
  const exceeded = budgets[reply.at];
  const message = overBudgetMessage(exceeded, request, reply.left);
  return new InsufficientQuota(message, reply.covered, exceeded?.budget.id);
}

/**
 * Renders the message for a call that the balance does not cover. A lower output limit reduces the amount of the hold.
 */
function tooLowMessage({ nanos, draft }: HoldRequest): string {
  return `This call of ${draft.model} may cost up to $${formatUsd(nanos)}, more than the account's available balance: top it up, or request less output.`;
}
