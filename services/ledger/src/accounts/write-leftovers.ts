import { readCreditsOf, readPendingCredits, readAccountsToWrite, readTokensToWrite } from "@modelgate/books";
import { writeChangedBudgets, type BudgetWriteDeps } from "./write-budgets.ts";
import { writeAccount, writeBookedToken, applyBookedCredit } from "./write-to-redis.ts";

const maxPerPass = 500;
/** Age in ms from which a credit is applied again, because the ledger that booked it may have died before. */
const abandonedAfterMs = 10_000;

/**
 * Writes records to Redis that were not written because a ledger died or Redis was unavailable. Returns their number.
 */
export async function writeLeftovers(deps: BudgetWriteDeps, nowMs: number): Promise<number> {
  const { books } = deps;
  const accounts = await readAccountsToWrite(books, maxPerPass);
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
  for (const account of accounts) await writeAccount(deps, account, openings.get(account.id));
  const tokens = await readTokensToWrite(books, maxPerPass);
  for (const token of tokens) await writeBookedToken(deps, token);
  const budgets = await writeChangedBudgets(deps, maxPerPass);
  const credits = (await readPendingCredits(books, maxPerPass)).filter(
    ({ time }) => Date.parse(time) < nowMs - abandonedAfterMs,
  );
  for (const event of credits) await applyBookedCredit(deps, event);
  return accounts.length + tokens.length + budgets + credits.length;
}
