import { budgetsWithoutState, budgetVersionOf, projectBudgets, readBudgets, type Budget } from "@modelgate/accounts";
import { markBudgetsProjected, readBudgetsOf, type BookedBudgets } from "@modelgate/books";
import { spendingOfAll } from "./budget-spending.ts";
import type { ProjectionDeps } from "./project.ts";

/**
 * Writes an account's budgets to Redis, unless Redis has a newer version. A budget that Redis does not know begins with
 * its spending in the books. Returns the budgets.
 */
export async function projectBookedBudgets(
  { redis, books }: ProjectionDeps,
  booked: BookedBudgets,
): Promise<readonly Budget[]> {
  const { account, version, record } = booked;
  const budgets = readBudgets(record);
  const states = await spendingOfAll(books, account, await budgetsWithoutState(redis, account, budgets));
  const written = await projectBudgets(redis, account, { version, budgets }, states);
  if (written !== "no-account") await markBudgetsProjected(books, booked);
  return budgets;
}

/**
 * Restores budgets of these accounts that Redis lacks, or has in a state before their last change. The accounts must
 * exist in Redis.
 */
export async function restoreBudgets(projecting: ProjectionDeps, accounts: readonly string[]): Promise<void> {
  for (const booked of await readBudgetsOf(projecting.books, accounts))
    if ((await budgetVersionOf(projecting.redis, booked.account)) < booked.version)
      await projectBookedBudgets(projecting, booked);
}
