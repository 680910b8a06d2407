import { budgetsWithoutState, budgetVersionOf, writeBudgetsToRedis, readBudgets } from "@modelgate/accounts";
import { markBudgetsProjected, readBudgetsOf, readUnprojectedBudgets, type BookedBudgets } from "@modelgate/books";
import { eventStreams } from "@modelgate/contracts";
import type { Bus } from "@modelgate/platform";
import { waitUntilCaughtUp } from "../restore/caught-up.ts";
import { computeAllSpending } from "./budget-spending.ts";
import type { ProjectionDeps } from "./project.ts";

/** Dependencies for copying budgets from the books to Redis. */
export interface BudgetProjectionDeps extends ProjectionDeps {
  readonly bus: Bus;
}

/** Maximum ms to wait until the books have the calls that were settled before a new budget was created. */
const maxCatchUpMs = 2_000;

/**
 * Writes an account's budgets to Redis, unless Redis has a newer version. New budgets begin with their spending in the
 * books.
 */
export async function projectBookedBudgets(
  { redis, books, bus }: BudgetProjectionDeps,
  booked: BookedBudgets,
): Promise<void> {
  const { account, version, record } = booked;
  const budgets = readBudgets(record);
  const newBudgets = await budgetsWithoutState(redis, account, budgets);
  if (newBudgets.length > 0) await waitUntilCaughtUp(bus, [eventStreams.usage.name], maxCatchUpMs);
  const states = await computeAllSpending(books, account, newBudgets);
  const reply = await writeBudgetsToRedis(redis, account, { version, budgets }, states);
  if (reply !== "no-account") await markBudgetsProjected(books, booked);
}

/** Writes the budgets of these accounts to Redis if it has none or an earlier version. */
export async function restoreBudgets(projecting: BudgetProjectionDeps, accounts: readonly string[]): Promise<void> {
  for (const booked of await readBudgetsOf(projecting.books, accounts))
    if ((await budgetVersionOf(projecting.redis, booked.account)) < booked.version)
      await projectBookedBudgets(projecting, booked);
}

/** Writes at most `limit` changed budget lists to Redis. Returns their number. */
export async function projectChangedBudgets(projecting: BudgetProjectionDeps, limit: number): Promise<number> {
  const changed = await readUnprojectedBudgets(projecting.books, limit);
  for (const booked of changed) await projectBookedBudgets(projecting, booked);
  return changed.length;
}
