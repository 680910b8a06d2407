import { withoutUndefined, type Budgets, type Nanos } from "@modelgate/contracts";
import { orUnavailable, type Redis } from "@modelgate/platform";
import { findBudgets } from "../budgets/account-budgets.ts";
import { appliedBudget, budgetsOfCall, budgetsOfCaller, remainingOf, type BudgetUsage } from "../budgets/budget.ts";
import { readBudgetUsage } from "../budgets/usage.ts";
import { readUnlessLost } from "../restore/epoch.ts";
import { findAccount } from "./account.ts";

/** API key whose remaining money is read. */
export interface SpendingScope {
  readonly accountId: string;
  readonly tokenId: string;
  readonly group: string;
  readonly team?: string | undefined;
  readonly member?: string | undefined;
  readonly budgets?: Budgets | undefined;
  readonly nowMs?: number | undefined;
}

/** Amount that an API key can still spend, and the amounts that limit it. */
export interface RemainingMoney {
  readonly creditedNanos: Nanos;
  readonly spentNanos: Nanos;
  readonly budgets: readonly BudgetUsage[];
  /** The account's available money, or what is left of a hard budget if that is less. Never negative. */
  readonly remainingNanos: Nanos;
}

/**
 * Reads the amount that an API key can still spend; undefined for an unknown account. Throws Failure server_overloaded
 * (503) if Redis does not answer or is being restored.
 */
export async function readRemainingMoney(redis: Redis, scope: SpendingScope): Promise<RemainingMoney | undefined> {
  const { accountId } = scope;
  const account = await orUnavailable(
    readUnlessLost(
      redis,
      () => findAccount(redis, accountId),
      (value) => value === undefined,
    ),
  );
  if (account === undefined) return undefined;
  const budgets = await orUnavailable(readUsage(redis, scope));
  const hard = budgets.filter(({ budget }) => budget.mode === "hard");
  const amounts = [account.availableNanos, ...hard.map(remainingOf)];
  const least = amounts.reduce((left, right) => (left < right ? left : right));
  const { creditedNanos, spentNanos } = account;
  return { creditedNanos, spentNanos, budgets, remainingNanos: least > 0n ? least : 0n };
}

/**
 * Reads the spending of the budgets that apply to every call of an API key. Budgets of models, tags and end users are
 * not included.
 */
async function readUsage(
  redis: Redis,
  { accountId, tokenId, group, team, member, budgets: limits, nowMs = Date.now() }: SpendingScope,
): Promise<readonly BudgetUsage[]> {
  const call = withoutUndefined({ tokenId, group, team, member, model: "" });
  const ownBudgets = budgetsOfCaller(limits, call).map((budget) => appliedBudget(budget, nowMs));
  const listed = budgetsOfCall(await findBudgets(redis, accountId), call, nowMs, limits?.within);
  return readBudgetUsage(redis, accountId, [...ownBudgets, ...listed]);
}
