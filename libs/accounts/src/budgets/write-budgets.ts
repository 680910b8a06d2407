import { organisationScope, type Nanos } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { budgetScript, moneyScripts } from "../shared-scripts.ts";
import { isOfOrganisation, type Budget } from "./budget.ts";

const writeScript = defineScript({
  file: new URL("write-budgets.lua", import.meta.url),
  shared: [...moneyScripts, budgetScript],
  keys: ["account", "budgets", "budgetList"],
  args: { version: "number", list: "text", states: "text" },
  replies: { written: {}, newer: {}, "no-account": {} },
});

/** Spending of a budget according to the books. */
export interface BudgetState {
  /** Number of the current period, and the amount spent in it. */
  readonly period: number;
  readonly spentNanos: Nanos;
  /** Amount left of the previous period, if it is added to the current one. */
  readonly leftBefore?: Nanos | undefined;
}

/** Budgets of an account in the books. */
export interface BudgetList {
  /** Number of changes of the list. */
  readonly version: number;
  readonly budgets: readonly Budget[];
}

/**
 * Writes the budgets of an account to Redis, unless Redis has this version or a later one. `states` has the spending of
 * budgets without a state in Redis. States of removed budgets are deleted, except those of an organisation.
 */
export async function writeBudgetsToRedis(
  redis: Redis,
  accountId: string,
  { version, budgets }: BudgetList,
  states: ReadonlyMap<string, BudgetState>,
): Promise<"written" | "newer" | "no-account"> {
  const { verdict } = await writeScript(
    redis,
    {
      account: accountKeys.account(accountId),
      budgets: accountKeys.budgets(accountId),
      budgetList: accountKeys.budgetList(accountId),
    },
    { version, list: JSON.stringify(budgets), states: stateLines(budgets, states) },
  );
  return verdict;
}

/** Renders the spending of budgets for the scripts: the lines id, owner and state for each. */
export function stateLines(budgets: readonly Budget[], states: ReadonlyMap<string, BudgetState>): string {
  const lines = budgets.map((budget) => {
    const owner = isOfOrganisation(budget) ? budget.scope : "";
    return `${budget.id}\n${owner}\n${stateText(states.get(budget.id))}\n`;
  });
  return lines.join("");
}

function stateText(state: BudgetState | undefined): string {
  if (state === undefined) return "";
  const { period, spentNanos, leftBefore } = state;
  const before = leftBefore === undefined ? 0 : period - 1;
  return `${period} ${spentNanos} ${before} ${leftBefore ?? 0n}`;
}

/** Returns the version of an account's budgets in Redis, or 0. */
export async function budgetVersionOf(redis: Redis, accountId: string): Promise<number> {
  return Number((await redis.hget(accountKeys.account(accountId), "budgets")) ?? 0);
}

/** Returns the budgets of an account that have no state in Redis. */
export async function budgetsWithoutState(
  redis: Redis,
  accountId: string,
  budgets: readonly Budget[],
): Promise<readonly Budget[]> {
  const byHash = Map.groupBy(budgets, (budget) => hashOf(accountId, budget));
  const missing = new Set<Budget>();
  for (const [hash, all] of byHash) {
    const states = await redis.hmget(hash, ...all.map(({ id }) => id));
    for (const [at, budget] of all.entries()) if (typeof states[at] !== "string") missing.add(budget);
  }
  return budgets.filter((budget) => missing.has(budget));
}

/** Deletes the state of an organisation's budget. `accountId` is any account of the organisation. */
export async function deleteOrganisationBudget(redis: Redis, accountId: string, budget: Budget): Promise<void> {
  await redis.hdel(hashOf(accountId, budget), budget.id);
}

/**
 * Deletes the states of an organisation's budgets when it has no accounts left. They are computed from the books if an
 * account joins later.
 */
export async function deleteOrganisationBudgets(
  redis: Redis,
  lastAccounts: readonly string[],
  organisation: string,
): Promise<void> {
  const scope = organisationScope(organisation);
  for (const key of new Set(lastAccounts.map((account) => accountKeys.budgetsOfOrganisation(account, scope))))
    await redis.del(key);
}

function hashOf(accountId: string, budget: Budget): string {
  return isOfOrganisation(budget)
    ? accountKeys.budgetsOfOrganisation(accountId, budget.scope)
    : accountKeys.budgets(accountId);
}
