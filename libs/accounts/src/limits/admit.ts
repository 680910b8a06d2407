import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { Failure, type Budgets } from "@modelgate/contracts";
import { accountKeys } from "../keys.ts";
import { readUnlessLost } from "../restore/epoch.ts";
import { minuteScripts } from "../shared-scripts.ts";

/** Limits of a group for each API key, or for keys that share them. Absent members are unlimited. */
export interface TokenLimits {
  readonly requestsPerMinute?: number | undefined;
  /** Maximum calls of a day in UTC. */
  readonly requestsPerDay?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Maximum number of open calls. */
  readonly concurrency?: number | undefined;
}

export interface AdmitRequest {
  readonly accountId: string;
  /** Id of the limits that apply to the call. */
  readonly limitsId: string;
  readonly tokenId: string;
  /** Budgets of the API key, of which only the requests per day are checked here. */
  readonly budgets?: Budgets | undefined;
  readonly seatId: string;
  readonly limits: TokenLimits;
  readonly needsBalance: boolean;
  /** Time in ms after which a seat is free unless it is renewed. */
  readonly leaseMs: number;
  readonly nowMs?: number | undefined;
}

/** Remaining part of a limit, and the time in ms until the complete limit is available again. */
export interface RemainingLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

export type AdmitDecision =
  | "admitted"
  | "requests"
  | "day"
  | "key-day"
  | "tokens"
  | "concurrency"
  | "balance"
  | "disabled"
  | "no-account";

export interface Admission {
  readonly decision: AdmitDecision;
  readonly requests?: RemainingLimit | undefined;
  readonly tokens?: RemainingLimit | undefined;
  readonly retryAfterMs: number;
  /** Limit of requests per day that refused the call (decision `key-day`); otherwise 0. */
  readonly keyLimit: number;
}

const remainingKinds = {
  waitMs: "number",
  requestsLeft: "number",
  requestsResetMs: "number",
  tokensLeft: "number",
  tokensResetMs: "number",
  keyLimit: "number",
} as const;

const admitScript = defineScript({
  file: new URL("admit.lua", import.meta.url),
  shared: minuteScripts,
  keys: ["account", "bucket", "seats", "days"],
  args: {
    seatId: "text",
    requestsPerMinute: "number",
    requestsPerDay: "number",
    keyLimits: "text",
    tokensPerMinute: "number",
    concurrency: "number",
    needsBalance: "flag",
    leaseMs: "number",
    nowMs: "number?",
  },
  grouped: true,
  replies: {
    admitted: remainingKinds,
    requests: remainingKinds,
    day: remainingKinds,
    "key-day": remainingKinds,
    tokens: remainingKinds,
    concurrency: remainingKinds,
    balance: remainingKinds,
    disabled: remainingKinds,
    "no-account": remainingKinds,
  } satisfies Record<AdmitDecision, typeof remainingKinds>,
});

/**
 * Admits or refuses a call in one atomic step, for all replicas together. The limits per minute are token buckets;
 * those per day begin at midnight in UTC. Throws Failure server_overloaded (503) if Redis is unavailable, slow or being
 * restored.
 */
export async function admit(redis: Redis, request: AdmitRequest): Promise<Admission> {
  const { accountId, limitsId, limits } = request;
  const step = () =>
    admitScript(
      redis,
      {
        account: accountKeys.account(accountId),
        bucket: accountKeys.bucket(accountId, limitsId),
        seats: accountKeys.seats(accountId, limitsId),
        days: accountKeys.requestDays(accountId),
      },
      {
        seatId: request.seatId,
        requestsPerMinute: limits.requestsPerMinute ?? 0,
        requestsPerDay: limits.requestsPerDay ?? 0,
        keyLimits: keyLimitsOf(request),
        tokensPerMinute: limits.tokensPerMinute ?? 0,
        concurrency: limits.concurrency ?? 0,
        needsBalance: request.needsBalance,
        leaseMs: request.leaseMs,
        nowMs: request.nowMs,
      },
    );
  const reply = await orUnavailable(readUnlessLost(redis, step, ({ verdict }) => verdict === "no-account"));
  const remaining = (limit: number | undefined, remaining: number, resetMs: number): RemainingLimit | undefined =>
    limit === undefined ? undefined : { limit, remaining, resetMs };
  return {
    decision: reply.verdict,
    requests: remaining(limits.requestsPerMinute, reply.requestsLeft, reply.requestsResetMs),
    tokens: remaining(limits.tokensPerMinute, reply.tokensLeft, reply.tokensResetMs),
    retryAfterMs: reply.waitMs,
    keyLimit: reply.keyLimit,
  };
}

function keyLimitsOf({ tokenId, budgets = {} }: AdmitRequest): string {
  const { tokenRequestsPerDay, within, withinRequestsPerDay } = budgets;
  const own = tokenRequestsPerDay === undefined ? "" : `${tokenId} ${tokenRequestsPerDay} `;
  return withinRequestsPerDay === undefined ? own : `${own}${within} ${withinRequestsPerDay} `;
}

const limitMessages = {
  requests: ({ requestsPerMinute = 0 }: TokenLimits) => `limited to ${requestsPerMinute} requests per minute.`,
  day: ({ requestsPerDay = 0 }: TokenLimits) =>
    `limited to ${requestsPerDay} requests per day, and they are used up until midnight (UTC).`,
  tokens: ({ tokensPerMinute = 0 }: TokenLimits) =>
    `limited to ${tokensPerMinute} tokens per minute, which are used up for now.`,
  concurrency: ({ concurrency = 0 }: TokenLimits) => `limited to ${concurrency} calls at the same time.`,
};

/** Returns the failure of a refused call; undefined for an admitted one. */
export function limitFailure(
  { decision, retryAfterMs, keyLimit }: Admission,
  { tokenId, limitsId, limits }: Pick<AdmitRequest, "limits" | "limitsId" | "tokenId">,
): Failure | undefined {
  if (decision === "admitted") return undefined;
  if (decision === "balance") return new Failure("insufficient_quota", "The account's balance is exhausted.");
  if (decision === "disabled") return new Failure("account_disabled");
  if (decision === "no-account")
    return new Failure("account_disabled", `The account of this key (${tokenId}) no longer exists.`);
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  if (decision === "key-day") {
    const limit = limitMessages.day({ requestsPerDay: keyLimit });
    return new Failure("rate_limit_exceeded", `This key, with the keys that share its limit, is ${limit}`, {
      retryAfterSeconds,
    });
  }
  const keys = limitsId === tokenId ? "This key is" : "The keys that members created in this key's group are together";
  return new Failure("rate_limit_exceeded", `${keys} ${limitMessages[decision](limits)}`, { retryAfterSeconds });
}
