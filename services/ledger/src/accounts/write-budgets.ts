import { budgetsWithoutState, budgetVersionOf, writeBudgetsToRedis, readBudgets } from "@modelgate/accounts";
import { markBudgetsWritten, readBudgetsOf, readBudgetsToWrite, type BookedBudgets } from "@modelgate/books";
import { eventStreams } from "@modelgate/contracts";
import type { Bus } from "@modelgate/platform";
import { waitUntilCaughtUp } from "../restore/caught-up.ts";
import { computeAllSpending } from "./budget-spending.ts";
import type { WriteDeps } from "./write-to-redis.ts";

/** Dependencies for writing budgets from the books to Redis. */
export interface BudgetWriteDeps extends WriteDeps {
  readonly bus: Bus;
}

/** Maximum ms to wait until the books have the calls that were settled before a new budget was created. */
const maxCatchUpMs = 2_000;

/**
 * Writes an account's budgets to Redis, unless Redis has a newer version. New budgets begin with their spending in the
 * books.
 */
export async function writeBookedBudgets({ redis, books, bus }: BudgetWriteDeps, booked: BookedBudgets): Promise<void> {
  const { account, version, record } = booked;
  const budgets = readBudgets(record);
  const newBudgets = await budgetsWithoutState(redis, account, budgets);
  if (newBudgets.length > 0) await waitUntilCaughtUp(bus, [eventStreams.usage.name], maxCatchUpMs);
  const states = await computeAllSpending(books, account, newBudgets);
  const reply = await writeBudgetsToRedis(redis, account, { version, budgets }, states);
  if (reply !== "no-account") await markBudgetsWritten(books, booked);
}

/** Writes the budgets of these accounts to Redis if it has none or an earlier version. */
export async function restoreBudgets(deps: BudgetWriteDeps, accounts: readonly string[]): Promise<void> {
  for (const booked of await readBudgetsOf(deps.books, accounts))
    if ((await budgetVersionOf(deps.redis, booked.account)) < booked.version) await writeBookedBudgets(deps, booked);
}

/** Writes at most `limit` changed budget lists to Redis. Returns their number. */
export async function writeChangedBudgets(deps: BudgetWriteDeps, limit: number): Promise<number> {
  const changed = await readBudgetsToWrite(deps.books, limit);
  for (const booked of changed) await writeBookedBudgets(deps, booked);
  return changed.length;
}
