import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { budgetScript, moneyScripts } from "../shared-scripts.ts";
import { budgetLines, type AppliedBudget, type BudgetUsage } from "./budget.ts";

const usageScript = defineScript({
  file: new URL("usage.lua", import.meta.url),
  shared: [...moneyScripts, budgetScript],
  keys: ["budgets"],
  args: { lines: "text" },
  replies: { read: { amounts: "nanos[]" } },
});

/** Reads the spending of an account's budgets in their periods. */
export async function readBudgetUsage(
  redis: Redis,
  accountId: string,
  budgets: readonly AppliedBudget[],
): Promise<readonly BudgetUsage[]> {
  if (budgets.length === 0) return [];
  const { amounts } = await usageScript(
    redis,
    { budgets: accountKeys.budgets(accountId) },
    { lines: budgetLines(budgets) },
  );
  return budgets.map((each, at) => ({
    ...each,
    usedNanos: amounts[at * 3] ?? 0n,
    carriedNanos: amounts[at * 3 + 1] ?? 0n,
    usedBefore: Number(amounts[at * 3 + 2] ?? 0n),
  }));
}
