import { defineScript, orUnavailable, replyList, type Redis } from "@modelgate/platform";
import { keys } from "../keys.ts";
import { unlessLost } from "../restore/epoch.ts";

/** A group's limits on each of its tokens; absent: none. */
export interface TokenLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Open calls. */
  readonly concurrency?: number | undefined;
}

export interface AdmitRequest {
  readonly accountId: string;
  readonly tokenId: string;
  /** Names the seat that the call takes. */
  readonly permitId: string;
  readonly limits: TokenLimits;
  /** Whether the call costs money: then the balance must be above zero. */
  readonly metered: boolean;
  /** How long a seat is kept without being renewed. */
  readonly leaseMs: number;
  readonly nowMs?: number;
}

/** What is left of a limit, and when it will be whole again. */
export interface Remaining {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

export type Decision = "admitted" | "requests" | "tokens" | "concurrency" | "balance" | "no-account";
const decisions: readonly Decision[] = ["admitted", "requests", "tokens", "concurrency", "balance", "no-account"];

export interface Admission {
  readonly decision: Decision;
  readonly requests?: Remaining;
  readonly tokens?: Remaining;
  /** When the refusal will pass. */
  readonly retryAfterMs: number;
}

const run = defineScript(new URL("admit.lua", import.meta.url), replyList);

/**
 * Lets a call in or says why not, in one atomic step over all replicas. Both per-minute limits are token buckets:
 * the whole limit at once, then refilled evenly. Redis away or slow: Failure server_overloaded.
 */
export async function admit(redis: Redis, request: AdmitRequest): Promise<Admission> {
  const { accountId, tokenId, limits } = request;
  const step = () =>
    run(
      redis,
      [keys.account(accountId), keys.bucket(accountId, tokenId), keys.seats(accountId, tokenId)],
      [
        request.permitId,
        limits.requestsPerMinute ?? 0,
        limits.tokensPerMinute ?? 0,
        limits.concurrency ?? 0,
        request.metered ? "1" : "0",
        request.leaseMs,
        request.nowMs ?? 0,
      ],
    );
  const reply = await orUnavailable(unlessLost(redis, step, ([verdict]) => verdict === "no-account"));
  const [verdict, requestsLeft, requestsReset, tokensLeft, tokensReset, wait] = reply;
  const decision = decisions.find((known) => known === verdict);
  if (decision === undefined) throw new Error(`admit: ${verdict ?? "no answer"}`);
  const remaining = (limit: number | undefined, left: string | undefined, reset: string | undefined) =>
    limit === undefined ? undefined : { limit, remaining: Number(left), resetMs: Number(reset) };
  const requests = remaining(limits.requestsPerMinute, requestsLeft, requestsReset);
  const tokens = remaining(limits.tokensPerMinute, tokensLeft, tokensReset);
  return { decision, ...(requests && { requests }), ...(tokens && { tokens }), retryAfterMs: Number(wait) };
}
