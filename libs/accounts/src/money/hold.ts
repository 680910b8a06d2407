import { Failure, formatUsd, parseNanos, type Budgets, type Nanos, type UsageDraft } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { readAgain } from "../restore/epoch.ts";
import { holdScripts } from "../shared-scripts.ts";
import { maxAmount } from "./account.ts";

/** Request for a hold: money that is reserved for one call before the call is sent. */
export interface HoldRequest {
  readonly accountId: string;
  /** Id of the call, always created by the gateway. A call is settled once per id. */
  readonly callId: string;
  /** Maximum cost of the call. */
  readonly nanos: Nanos;
  /** Minimum cost once the call is sent. If the service dies, the sweep settles the hold at this amount. */
  readonly floorNanos: Nanos;
  /** Usage event of the call for the case that the service dies now. */
  readonly draft: UsageDraft;
  readonly tokenId: string;
  /** Id of the limits that the call's tokens count against; absent: those of the API key. */
  readonly limitsId?: string | undefined;
  /** Number of tokens to reserve in the current minute. */
  readonly tokens: number;
  readonly tokensPerMinute?: number | undefined;
  /** Budgets of the API key and its group, in addition to the account's balance. */
  readonly budgets?: Budgets | undefined;
  readonly leaseMs: number;
  /** Maximum number of events that may wait in the outbox of the account's shard. Beyond it, calls are refused. */
  readonly outboxBound: number;
  /** Unix time in ms for tests; absent: the clock of Redis. */
  readonly nowMs?: number;
}

const holdScript = defineScript({
  file: new URL("hold.lua", import.meta.url),
  shared: holdScripts,
  keys: ["account", "hold", "holds", "outbox", "bucket", "dayBudgets", "monthBudgets"],
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
    tokenId: "text",
    group: "text",
    tokenPerDay: "text?",
    tokenPerMonth: "text?",
    within: "text?",
    withinPerDay: "text?",
    withinPerMonth: "text?",
    groupPerDay: "text?",
    groupPerMonth: "text?",
  },
  grouped: true,
  replies: {
    held: {},
    "held-before": {},
    "outbox-full": {},
    "no-account": {},
    "too-low": { left: "nanos" },
    tokens: { waitMs: "number" },
    "token-per-day": { left: "nanos" },
    "token-per-month": { left: "nanos" },
    "within-per-day": { left: "nanos" },
    "within-per-month": { left: "nanos" },
    "group-per-day": { left: "nanos" },
    "group-per-month": { left: "nanos" },
  },
});

type HoldReply = Awaited<ReturnType<typeof holdScript>>;

/** Failure (402) of a hold that exceeds the account's available money or the rest of a budget. */
export class InsufficientQuota extends Failure {
  readonly leftNanos: Nanos;

  constructor(message: string, leftNanos: Nanos) {
    super("insufficient_quota", message);
    this.leftNanos = leftNanos;
  }
}

/**
 * Reserves money in one atomic step. Throws Failure: InsufficientQuota or insufficient_quota (402, balance or budget),
 * rate_limit_exceeded (429, tokens per minute), server_overloaded (503, Redis unavailable, slow or being restored, or
 * the outbox full).
 */
export async function hold(redis: Redis, request: HoldRequest): Promise<void> {
  if (request.nanos > maxAmount) throw new Failure("insufficient_quota", tooLowMessage(request));
  const shard = shardOf(request.accountId);
  const day = new Date(request.nowMs ?? Date.now()).toISOString().slice(0, "2026-01-31".length);
  const step = () =>
    holdScript(
      redis,
      {
        account: accountKeys.account(request.accountId),
        hold: accountKeys.hold(request.accountId, request.callId),
        holds: accountKeys.holds(shard),
        outbox: accountKeys.outbox(shard),
        bucket: accountKeys.bucket(request.accountId, request.limitsId ?? request.tokenId),
        dayBudgets: accountKeys.budgets(request.accountId, day),
        monthBudgets: accountKeys.budgets(request.accountId, day.slice(0, "2026-01".length)),
      },
      {
        callId: request.callId,
        nanos: request.nanos,
        floor: request.floorNanos,
        draft: JSON.stringify(request.draft),
        leaseMs: request.leaseMs,
        outboxBound: request.outboxBound,
        tokens: Math.ceil(request.tokens),
        tokensPerMinute: request.tokensPerMinute ?? 0,
        accountId: request.accountId,
        nowMs: request.nowMs,
        tokenId: request.tokenId,
        group: request.draft.group,
        tokenPerDay: request.budgets?.tokenPerDay,
        tokenPerMonth: request.budgets?.tokenPerMonth,
        within: request.budgets?.within,
        withinPerDay: request.budgets?.withinPerDay,
        withinPerMonth: request.budgets?.withinPerMonth,
        groupPerDay: request.budgets?.groupPerDay,
        groupPerMonth: request.budgets?.groupPerMonth,
      },
    );
  const reply = await orUnavailable(step());
  throwUnlessHeld(reply.verdict === "no-account" ? await orUnavailable(readAgain(redis, step)) : reply, request);
}

/** Throws the failure of a reply, unless the money is reserved. */
function throwUnlessHeld(reply: HoldReply, request: HoldRequest): void {
  switch (reply.verdict) {
    case "held":
      return;
    case "held-before":
      throw new Error(`call ${request.callId} has a hold already`);
    case "too-low":
      throw new InsufficientQuota(tooLowMessage(request), reply.left);
    case "no-account":
      throw new Failure("insufficient_quota");
    case "tokens":
      throw new Failure(
        "rate_limit_exceeded",
        `This call needs about ${request.tokens} tokens; the key's ${request.tokensPerMinute ?? 0} tokens per minute are used up for now.`,
        { retryAfterSeconds: Math.max(1, Math.ceil(reply.waitMs / 1_000)) },
      );
    case "outbox-full":
      throw new Failure("server_overloaded", "Too many events wait to be published; try again shortly.", {
        retryAfterSeconds: 5,
      });
    case "token-per-day":
    case "token-per-month":
    case "within-per-day":
    case "within-per-month":
    case "group-per-day":
    case "group-per-month":
      throw new InsufficientQuota(overBudgetMessage(budgetTexts[reply.verdict], request), reply.left);
  }
}

/** Description of a budget for the message of a refused hold. */
interface BudgetText {
  readonly name: Exclude<keyof Budgets, "within">;
  readonly whose: string;
  readonly period: string;
}

const keysWithSharedBudget = "key, with the others of the account that share its limit,";
const budgetTexts = {
  "token-per-day": { name: "tokenPerDay", whose: "key", period: "day" },
  "token-per-month": { name: "tokenPerMonth", whose: "key", period: "month" },
  "within-per-day": { name: "withinPerDay", whose: keysWithSharedBudget, period: "day" },
  "within-per-month": { name: "withinPerMonth", whose: keysWithSharedBudget, period: "month" },
  "group-per-day": { name: "groupPerDay", whose: "account in this key's group", period: "day" },
  "group-per-month": { name: "groupPerMonth", whose: "account in this key's group", period: "month" },
} satisfies Record<string, BudgetText>;

function overBudgetMessage({ name, whose, period }: BudgetText, { draft, budgets: given }: HoldRequest): string {
  const dollars = formatUsd(parseNanos(given?.[name] ?? "0"));
  return `This ${whose} may spend $${dollars} a ${period}, and what is left does not cover this call of ${draft.model}; the next ${period} begins at 00:00 UTC.`;
}

/**
 * Renders the message of a hold that exceeds the available money. A hold is placed for the maximum cost, so a request
 * for fewer output tokens may be admitted.
 */
function tooLowMessage({ nanos, draft }: HoldRequest): string {
  return `This call of ${draft.model} may cost up to $${formatUsd(nanos)}, and what the account has available does not cover that: top it up, or ask for less.`;
}
