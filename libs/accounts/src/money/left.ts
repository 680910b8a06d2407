import { parseNanos, type Budgets, type Nanos } from "@modelgate/contracts";
import { orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { unlessLost } from "../restore/epoch.ts";
import { findAccount } from "./account.ts";

/** API key whose money is read. */
export interface SpendingScope {
  readonly accountId: string;
  readonly tokenId: string;
  readonly group: string;
  readonly budgets?: Budgets | undefined;
  /** Clock for tests; absent: that of the system. */
  readonly nowMs?: number | undefined;
}

/**
 * A budget of an API key, of the key whose limits it shares, or of its group, with the amount used in the current
 * period.
 */
export interface BudgetUse {
  readonly whose: "token" | "within" | "group";
  readonly period: "day" | "month";
  readonly maxNanos: Nanos;
  /** Amount that was spent, or is held for open calls. */
  readonly usedNanos: Nanos;
}

/** Amount that an API key can still spend, and the limits that determine it. */
export interface MoneyLeft {
  readonly creditedNanos: Nanos;
  readonly spentNanos: Nanos;
  readonly budgets: readonly BudgetUse[];
  /** Minimum of the account's available money and the rest of its budgets; at least 0. */
  readonly leftNanos: Nanos;
}

const bounds = [
  { name: "tokenPerDay", whose: "token", period: "day" },
  { name: "tokenPerMonth", whose: "token", period: "month" },
  { name: "withinPerDay", whose: "within", period: "day" },
  { name: "withinPerMonth", whose: "within", period: "month" },
  { name: "groupPerDay", whose: "group", period: "day" },
  { name: "groupPerMonth", whose: "group", period: "month" },
] as const;

/**
 * Reads the amount that an API key can still spend; undefined for an unknown account. Throws Failure if Redis does not
 * answer.
 */
export async function readMoneyLeft(redis: Redis, scope: SpendingScope): Promise<MoneyLeft | undefined> {
  const { accountId } = scope;
  const account = await orUnavailable(
    unlessLost(
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
): Promise<readonly BudgetUse[]> {
  const day = new Date(nowMs).toISOString().slice(0, "2026-01-31".length);
  const periods = { day, month: day.slice(0, "2026-01".length) };
  const fields = { token: `token:${tokenId}`, within: `token:${budgets.within ?? ""}`, group: `group:${group}` };
  const set = bounds.flatMap(({ name, whose, period }) => {
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
