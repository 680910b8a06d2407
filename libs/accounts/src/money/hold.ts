import { Failure, formatUsd, parseNanos, type Budgets, type Nanos, type UsageDraft } from "@modelgate/contracts";
import { defineScript, orUnavailable, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";
import { unlessLost } from "../restore/epoch.ts";
import { largestAmount } from "./bounds.ts";

/** Money to be put aside for one call before it is sent. */
export interface HoldRequest {
  readonly accountId: string;
  /** Ours, never the client's: money hangs on it. */
  readonly callId: string;
  /** An upper bound of the cost. */
  readonly nanos: Nanos;
  /** What is certain once the call is sent; a dead hold is settled at it. */
  readonly floorNanos: Nanos;
  /** The event as it would be if the service died now. */
  readonly draft: UsageDraft;
  readonly tokenId: string;
  /** Tokens to reserve of the token's minute. */
  readonly tokens: number;
  readonly tokensPerMinute?: number | undefined;
  /** What the token and its group may spend beside the account's balance. */
  readonly budgets?: Budgets | undefined;
  readonly leaseMs: number;
  /** Events that may wait in the account's shard before calls are refused. */
  readonly outboxBound: number;
  /** For tests: the clock; Redis' own where absent. */
  readonly nowMs?: number;
}

const run = defineScript(
  ["budgets.lua", "hold.lua"].map((file) => new URL(file, import.meta.url)),
  replyList,
);

/**
 * Puts money aside in one atomic step, or throws: insufficient_quota (402, balance or a budget), rate_limit_exceeded
 * (429, tokens per minute), server_overloaded (503: Redis away or slow, or the outbox at its bound).
 */
export async function hold(redis: Redis, request: HoldRequest): Promise<void> {
  if (request.nanos > largestAmount) throw tooLow(request);
  const shard = shardOf(request.accountId);
  const { tokenPerDay = "", tokenPerMonth = "", groupPerDay = "", groupPerMonth = "" } = request.budgets ?? {};
  const day = new Date(request.nowMs ?? Date.now()).toISOString().slice(0, "2026-01-31".length);
  const step = () =>
    run(
      redis,
      [
        keys.account(request.accountId),
        keys.hold(request.accountId, request.callId),
        keys.holds(shard),
        keys.outbox(shard),
        keys.bucket(request.accountId, request.tokenId),
        keys.budgets(request.accountId, day),
        keys.budgets(request.accountId, day.slice(0, "2026-01".length)),
      ],
      [
        request.callId,
        request.nanos.toString(),
        request.floorNanos.toString(),
        JSON.stringify(request.draft),
        request.leaseMs,
        request.outboxBound,
        Math.ceil(request.tokens),
        request.tokensPerMinute ?? 0,
        request.accountId,
        request.nowMs ?? 0,
        request.tokenId,
        request.draft.group,
        tokenPerDay,
        tokenPerMonth,
        groupPerDay,
        groupPerMonth,
      ],
    );
  const reply = await orUnavailable(unlessLost(redis, step, ([verdict]) => verdict === "no-account"));
  refuse(reply, request);
}

function refuse([verdict = "no answer", detail]: readonly string[], request: HoldRequest): void {
  switch (verdict) {
    case "held":
      return;
    case "too-low":
      throw tooLow(request);
    case "no-account":
      throw new Failure("insufficient_quota");
    case "tokens":
      throw new Failure(
        "rate_limit_exceeded",
        `This call needs about ${request.tokens} tokens; the key's ${request.tokensPerMinute ?? 0} tokens per minute are used up for now.`,
        { retryAfterSeconds: Math.max(1, Math.ceil(Number(detail) / 1_000)) },
      );
    case "budget":
      throw overBudget(Number(detail), request);
    case "outbox-full":
      throw new Failure("server_overloaded", "Too many events wait to be published; try again shortly.", {
        retryAfterSeconds: 5,
      });
    default:
      throw new Error(`hold of call ${request.callId}: ${verdict}`);
  }
}

/** The budgets in the order of hold.lua. */
const budgetWords = [
  ["tokenPerDay", "key", "day"],
  ["tokenPerMonth", "key", "month"],
  ["groupPerDay", "account in this key's group", "day"],
  ["groupPerMonth", "account in this key's group", "month"],
] as const;

function overBudget(which: number, { budgets, draft }: HoldRequest): Failure {
  const [name, whose, period] = budgetWords[which - 1] ?? budgetWords[0];
  const dollars = formatUsd(parseNanos(budgets?.[name] ?? "0"));
  return new Failure(
    "insufficient_quota",
    `This ${whose} may spend $${dollars} a ${period}, and what is left does not cover this call of ${draft.model}; the next ${period} begins at 00:00 UTC.`,
  );
}

/** A call is held for at the most that it may cost: who asks for fewer tokens of an answer may be let in. */
function tooLow({ nanos, draft }: HoldRequest): Failure {
  return new Failure(
    "insufficient_quota",
    `This call of ${draft.model} may cost up to $${formatUsd(nanos)}, and what the account has available does not cover that: top it up, or ask for less.`,
  );
}
