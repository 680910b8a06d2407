import { readCreditsOf, readPendingCredits, readUnprojectedAccounts, readUnprojectedTokens } from "@modelgate/books";
import { projectChangedBudgets, type BudgetProjectionDeps } from "./project-budgets.ts";
import { projectAccount, projectBookedToken, projectCredit } from "./project.ts";

const maxPerPass = 500;
/** Age in ms from which a credit is applied again, because the ledger that booked it may have died before. */
const abandonedAfterMs = 10_000;

/**
 * Copies records to Redis that were not copied because a ledger died or Redis was unavailable. Returns their number.
 */
export async function projectLeftovers(projecting: BudgetProjectionDeps, nowMs: number): Promise<number> {
  const { books } = projecting;
  const accounts = await readUnprojectedAccounts(books, maxPerPass);
  const openings = new Map(
    (
      await readCreditsOf(
        books,
        accounts.map(({ id }) => id),
      )
    )
      .filter(({ kind }) => kind === "opening")
      .map((event) => [event.accountId, event]),
  );
  for (const account of accounts) await projectAccount(projecting, account, openings.get(account.id));
  const tokens = await readUnprojectedTokens(books, maxPerPass);
  for (const token of tokens) await projectBookedToken(projecting, token);
  const budgets = await projectChangedBudgets(projecting, maxPerPass);
  const credits = (await readPendingCredits(books, maxPerPass)).filter(
    ({ time }) => Date.parse(time) < nowMs - abandonedAfterMs,
  );
  for (const event of credits) await projectCredit(projecting, event);
  return accounts.length + tokens.length + budgets + credits.length;
}
