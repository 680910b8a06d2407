import type { ServerResponse } from "node:http";
import { admit as admitToken, limitsIdOf, limitFailure, type Admission } from "@modelgate/accounts";
import { Failure, needsBalance, withoutUndefined } from "@modelgate/contracts";
import type { Deps } from "../deps.ts";
import { limiterDecisions } from "../edge-metrics.ts";
import { contextOf, type Step } from "../request-context.ts";

/**
 * Checks the account, its balance and the limits of the key (requests, tokens and concurrent calls) in one Redis
 * operation, sets the rate-limit headers, and determines the caller. Budgets are checked when money is reserved.
 */
export function admit({ redis, catalog, seats, callers }: Pick<Deps, "redis" | "catalog" | "seats" | "callers">): Step {
  return async (request, response, next) => {
    const context = contextOf(request);
    const { token, endpoint, format, tags, clientAddress } = context;
    if (token === undefined || endpoint === undefined) throw new Error("admit runs before the caller is known");
    const group = catalog.current().group(token.group);
    if (group === undefined)
      throw new Failure("group_not_allowed", `The group ${JSON.stringify(token.group)} of this key no longer exists.`);
    const caller = callers.callerOf(token, group);
    const seat = { accountId: token.accountId, limitsId: limitsIdOf(token), seatId: seats.newSeatId() };
    const call = { ...seat, tokenId: token.id, budgets: caller.budgets, limits: group.limits };
    const admission = await admitToken(redis, {
      ...call,
      needsBalance: needsBalance(endpoint),
      leaseMs: seats.leaseMs,
    });
    limiterDecisions.inc({ decision: admission.decision });
    if (admission.decision === "admitted" && group.limits.concurrency !== undefined)
      seats.renewUntilEnd(seat, response);
    setLimitHeaders(response, admission, format === "alpha");
    const refusal = limitFailure(admission, call);
    if (refusal !== undefined) throw refusal;
    const listFormat =
      endpoint.errors === "by-request" && (format === "alpha" || format === "gamma" || format === "common")
        ? format
        : undefined;
    const isShared = (listFormat ?? clientAddress ?? tags) === undefined;
    context.caller = isShared
      ? caller
      : { ...caller, ...withoutUndefined({ format: listFormat, clientAddress, tags }) };
    next();
  };
}

/** Sets the rate-limit headers with their common names. For Anthropic's API format, also sets Anthropic's headers. */
function setLimitHeaders(response: ServerResponse, admission: Admission, isAlpha: boolean): void {
  for (const unit of ["requests", "tokens"] as const) {
    const limitState = admission[unit];
    if (limitState === undefined) continue;
    const { limit, remaining, resetMs } = limitState;
    response.setHeader(`x-ratelimit-limit-${unit}`, limit);
    response.setHeader(`x-ratelimit-remaining-${unit}`, remaining);
    response.setHeader(`x-ratelimit-reset-${unit}`, formatDuration(resetMs));
    if (!isAlpha) continue;
    response.setHeader(`anthropic-ratelimit-${unit}-limit`, limit);
    response.setHeader(`anthropic-ratelimit-${unit}-remaining`, remaining);
    response.setHeader(`anthropic-ratelimit-${unit}-reset`, new Date(Date.now() + resetMs).toISOString());
  }
}

/** Formats milliseconds as vendors do: 12ms, 1s, 6m0s. */
function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
