import { findTokenById, readRemainingMoney, type RemainingMoney } from "@modelgate/accounts";
import { Failure, formatUsd, type Caller, type Nanos } from "@modelgate/contracts";
import { answerJson, orUnavailable, type EndpointHandler } from "@modelgate/platform";
import type { Deps } from "../deps.ts";

/** GET /v1/dashboard/billing/subscription: returns spent and remaining money as a limit. Clients subtract the usage. */
export function billingSubscription(deps: Deps): EndpointHandler {
  return async ({ response, caller }) => {
    const { spentNanos, remainingNanos } = await remainingMoneyOf(deps, caller);
    const limit = dollars(spentNanos + remainingNanos);
    answerJson(response, 200, {
      object: "billing_subscription",
      has_payment_method: true,
      soft_limit_usd: limit,
      hard_limit_usd: limit,
      system_hard_limit_usd: limit,
      access_until: expiryOf(await tokenOf(deps, caller)),
    });
  };
}

/**
 * GET /v1/dashboard/billing/usage: returns the total spending in cents. The subscription includes all spending, so the
 * dates in the query are ignored.
 */
export function billingUsage(deps: Deps): EndpointHandler {
  return async ({ response, caller }) => {
    const { spentNanos } = await remainingMoneyOf(deps, caller);
    answerJson(response, 200, { object: "list", total_usage: dollars(spentNanos * 100n) });
  };
}

/** GET /v1/credits: returns the sum of spent and remaining money, and the spent money. Clients show the difference. */
export function credits(deps: Deps): EndpointHandler {
  return async ({ response, caller }) => {
    const { spentNanos, remainingNanos } = await remainingMoneyOf(deps, caller);
    answerJson(response, 200, {
      data: { total_credits: dollars(spentNanos + remainingNanos), total_usage: dollars(spentNanos) },
    });
  };
}

/** GET /v1/key: returns the limit, the spending and the expiry of the API key. */
export function currentKey(deps: Deps): EndpointHandler {
  return async ({ response, caller }) => {
    const [left, token] = await Promise.all([remainingMoneyOf(deps, caller), tokenOf(deps, caller)]);
    const used = (period: "day" | "month"): number | undefined => {
      const ownBudget = left.budgets.find(
        ({ budget }) => budget.scope === `key:${caller.tokenId}` && budget.period === period,
      );
      return ownBudget === undefined ? undefined : dollars(ownBudget.usedNanos);
    };
    answerJson(response, 200, {
      data: {
        label: token?.name ?? caller.tokenId,
        limit: dollars(left.spentNanos + left.remainingNanos),
        limit_remaining: dollars(left.remainingNanos),
        limit_reset: null,
        usage: dollars(left.spentNanos),
        usage_daily: used("day"),
        usage_monthly: used("month"),
        is_free_tier: false,
        is_provisioning_key: false,
        expires_at: token?.expiresAt ?? null,
      },
    });
  };
}

async function remainingMoneyOf({ relay }: Deps, caller: Caller): Promise<RemainingMoney> {
  const { accountId, tokenId, group, team, member, budgets } = caller;
  const left = await readRemainingMoney(relay.redis, { accountId, tokenId, group, team, member, budgets });
  if (left === undefined) throw new Failure("account_disabled");
  return left;
}

function tokenOf({ relay }: Deps, { tokenId }: Caller) {
  return orUnavailable(findTokenById(relay.redis, tokenId));
}

/** Returns the expiry of an API key in Unix seconds; 0 if it never expires. */
function expiryOf(token: { readonly expiresAt?: string | undefined } | undefined): number {
  return token?.expiresAt === undefined ? 0 : Math.floor(Date.parse(token.expiresAt) / 1_000);
}

function dollars(nanos: Nanos): number {
  return Number(formatUsd(nanos));
}
