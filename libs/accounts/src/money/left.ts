import { parseNanos, type Budgets, type Nanos } from "@modelgate/contracts";
import { orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { readUnlessLost } from "../restore/epoch.ts";
import { findAccount } from "./account.ts";

/** API key whose remaining money is read. */
export interface SpendingScope {
  readonly accountId: string;
  readonly tokenId: string;
  readonly group: string;
  readonly budgets?: Budgets | undefined;
  /** Unix time in ms for tests; absent: the clock of this machine. */
  readonly nowMs?: number | undefined;
}

/**
 * A budget and the amount that was used in the current period. It belongs to an API key ("token"), to the key whose
 * budget it shares ("within"), or to its group.
 */
export interface BudgetUsage {
  readonly whose: "token" | "within" | "group";
  readonly period: "day" | "month";
  readonly maxNanos: Nanos;
  /** Amount that was spent or is reserved for open calls. */
  readonly usedNanos: Nanos;
}

/** Amount that an API key can still spend, and the amounts that limit it. */
export interface RemainingMoney {
  readonly creditedNanos: Nanos;
  readonly spentNanos: Nanos;
  readonly budgets: readonly BudgetUsage[];
  /** The account's available money, or the rest of a budget if that is lower. Never negative. */
  readonly leftNanos: Nanos;
}

const budgetMembers = [
  { name: "tokenPerDay", whose: "token", period: "day" },
  { name: "tokenPerMonth", whose: "token", period: "month" },
  { name: "withinPerDay", whose: "within", period: "day" },
  { name: "withinPerMonth", whose: "within", period: "month" },
  { name: "groupPerDay", whose: "group", period: "day" },
  { name: "groupPerMonth", whose: "group", period: "month" },
] as const;

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
      (found) => found === undefined,
    ),
  );
  if (account === undefined) return undefined;
  const budgets = await orUnavailable(readBudgets(redis, scope));
  const amounts = [account.availableNanos, ...budgets.map(({ maxNanos, usedNanos }) => maxNanos - usedNanos)];
  const least = amounts.reduce((left, right) => (left < right ? left : right));
  const { creditedNanos, spentNanos } = account;
  return { creditedNanos, spentNanos, budgets, leftNanos: least > 0n ? least : 0n };
}

async function readBudgets(
  redis: Redis,
  { accountId, tokenId, group, budgets = {}, nowMs = Date.now() }: SpendingScope,
): Promise<readonly BudgetUsage[]> {
  const day = new Date(nowMs).toISOString().slice(0, "2026-01-31".length);
  const periods = { day, month: day.slice(0, "2026-01".length) };
  const fields = { token: `token:${tokenId}`, within: `token:${budgets.within ?? ""}`, group: `group:${group}` };
  const set = budgetMembers.flatMap(({ name, whose, period }) => {
    const most = budgets[name];
    return most === undefined ? [] : [{ whose, period, maxNanos: parseNanos(most) }];
  });
  return await Promise.all(
    set.map(async (budget) => {
      const used = await redis.hget(accountKeys.budgets(accountId, periods[budget.period]), fields[budget.whose]);
      return { ...budget, usedNanos: parseNanos(used ?? "0") };
    }),
  );
}
