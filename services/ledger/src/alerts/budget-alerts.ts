import {
  applied,
  budgetsOfCaller,
  callerLimits,
  findBudgets,
  findTokenById,
  readBudgetUsage,
  type Budget,
} from "@modelgate/accounts";
import { readTotals, type Books } from "@modelgate/books";
import { publishedKey, readPublished } from "@modelgate/catalog";
import type { UsageEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { spendingOfAll } from "../accounts/budget-spending.ts";
import type { FindingDeps } from "./find-alerts.ts";
import { budgetAlert } from "./rules.ts";

const hourMs = 3_600_000;
/** Time before now whose calls are considered at the start and then every hour, in case a ledger died. */
const lookBackMs = 24 * hourMs;

/**
 * Finds budgets that have reached a level of their alerts. It considers the accounts and API keys whose calls were
 * recorded since the previous step.
 */
export class BudgetAlerts {
  /** Ids of API keys with new calls, by account. */
  #called = new Map<string, Set<string>>();
  #completeAt = 0;

  /** Notes recorded calls, whose budgets the next step considers. */
  noteCalls(events: readonly Pick<UsageEvent, "accountId" | "tokenId">[]): void {
    for (const { accountId, tokenId } of events) {
      const tokens = this.#called.get(accountId) ?? new Set<string>();
      this.#called.set(accountId, tokens.add(tokenId));
    }
  }

  /** Stores the alerts of the budgets that recorded calls count in. Repeats the calls in the next step if it fails. */
  async find(books: Books, deps: FindingDeps): Promise<void> {
    const now = Date.now();
    if (now >= this.#completeAt) {
      const range = {
        from: Math.floor((now - lookBackMs) / hourMs) * hourMs,
        to: Math.ceil((now + 1) / hourMs) * hourMs,
      };
      const totals = await readTotals(books, { ...range, groupBy: ["account", "token"], sums: ["calls"] });
      this.noteCalls(totals.map(({ by }) => ({ accountId: by.account ?? "", tokenId: by.token ?? "" })));
      this.#completeAt = now + hourMs;
    }
    const called = [...this.#called];
    if (called.length === 0) return;
    const groups = await readGroups(deps.redis);
    for (const [account, tokens] of called) {
      this.#called.delete(account);
      try {
        await findOfAccount(books, deps, { account, tokens, groups });
      } catch (error) {
        this.noteCalls([...tokens].map((tokenId) => ({ accountId: account, tokenId })));
        throw error;
      }
    }
  }
}

type Groups = ReturnType<typeof readPublished>["groups"];

async function readGroups(redis: Redis): Promise<Groups> {
  const text = await redis.get(publishedKey);
  return text === null ? {} : readPublished(text).groups;
}

async function findOfAccount(
  books: Books,
  { redis, recorder }: FindingDeps,
  { account, tokens, groups }: { account: string; tokens: ReadonlySet<string>; groups: Groups },
): Promise<void> {
  const budgets = new Map((await findBudgets(redis, account)).map((budget) => [budget.id, budget]));
  for (const id of tokens) for (const budget of await limitsOf(redis, id, groups)) budgets.set(budget.id, budget);
  const usage = await readBudgetUsage(
    redis,
    account,
    [...budgets.values()].map((budget) => applied(budget, Date.now())),
  );
  for (const each of usage) {
    const reached = budgetAlert(account, each, each.usedNanos);
    if (reached === undefined || recorder.isKnown(reached)) continue;
    // Redis includes the money that is held for open calls, which may be much more than they cost.
    const { spentNanos = 0n } = (await spendingOfAll(books, account, [each.budget])).get(each.budget.id) ?? {};
    const alert = budgetAlert(account, each, spentNanos);
    if (alert !== undefined) await recorder.record(books, [alert]);
  }
}

/** Returns the budgets that are set with an API key and its group. */
async function limitsOf(redis: Redis, tokenId: string, groups: Groups): Promise<readonly Budget[]> {
  const token = await findTokenById(redis, tokenId);
  if (token === undefined) return [];
  const { budgets } = callerLimits(token, groups[token.group]?.limits ?? {});
  return budgetsOfCaller(budgets, { tokenId, group: token.group });
}
