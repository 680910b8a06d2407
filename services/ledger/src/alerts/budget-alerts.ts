import {
  applied,
  budgetsOfCaller,
  callerLimits,
  findBudgets,
  findTokenById,
  isOfOrganisation,
  readBudgetUsage,
  type Budget,
} from "@modelgate/accounts";
import { readTotals, type Books } from "@modelgate/books";
import { readPublishedConfiguration, type PublishedConfiguration } from "@modelgate/catalog";
import type { UsageEvent } from "@modelgate/contracts";
import type { Redis, WaitingRefusal } from "@modelgate/platform";
import { spendingOfAll } from "../accounts/budget-spending.ts";
import type { FindingDeps } from "./find-alerts.ts";
import { budgetAlerts } from "./rules.ts";

const hourMs = 3_600_000;
/**
 * Period before now, in ms. At the start and then every hour, the calls of this period are considered again, because
 * another ledger may have died before it considered them.
 */
const lookBackMs = 24 * hourMs;

/** New calls of an account. */
interface NewCalls {
  /** Ids of the API keys of the calls. */
  readonly tokens: Set<string>;
  /** Times in Unix ms at which budgets refused calls, by the ids of the budgets. */
  readonly refused: Map<string, number>;
}

/**
 * Finds budgets that have reached a level of their alerts or refused a call. It considers the accounts and API keys
 * whose calls were recorded or refused since the previous step.
 */
export class BudgetAlerts {
  /** New calls by account. */
  readonly #called = new Map<string, NewCalls>();
  #completeAt = 0;

  /** Notes recorded calls, whose budgets the next step considers. */
  noteCalls(events: readonly Pick<UsageEvent, "accountId" | "tokenId">[]): void {
    for (const { accountId, tokenId } of events) this.#callsOf(accountId).tokens.add(tokenId);
  }

  /** Notes calls that budgets refused, which the next step considers. */
  noteRefused(refusals: readonly WaitingRefusal[]): void {
    for (const { call, budget } of refusals) {
      if (budget === undefined) continue;
      const { tokens, refused } = this.#callsOf(call.accountId);
      tokens.add(call.tokenId);
      refused.set(budget, Date.parse(call.time));
    }
  }

  /**
   * Stores the alerts of the budgets in which the noted calls count. If that fails for an account, its noted calls are
   * considered again in the next step.
   */
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
    const callsByAccount = [...this.#called];
    if (callsByAccount.length === 0) return;
    const { groups = {} } = (await readPublishedConfiguration(deps.redis)) ?? {};
    for (const [account, calls] of callsByAccount) {
      this.#called.delete(account);
      try {
        await findOfAccount(books, deps, { account, calls, groups });
      } catch (error) {
        const { tokens, refused } = this.#callsOf(account);
        for (const id of calls.tokens) tokens.add(id);
        for (const [id, time] of calls.refused) if (!refused.has(id)) refused.set(id, time);
        throw error;
      }
    }
  }

  #callsOf(account: string): NewCalls {
    const calls = this.#called.get(account) ?? { tokens: new Set(), refused: new Map() };
    this.#called.set(account, calls);
    return calls;
  }
}

type Groups = PublishedConfiguration["groups"];

async function findOfAccount(
  books: Books,
  { redis, recorder }: FindingDeps,
  { account, calls, groups }: { account: string; calls: NewCalls; groups: Groups },
): Promise<void> {
  const budgets = new Map((await findBudgets(redis, account)).map((budget) => [budget.id, budget]));
  for (const id of calls.tokens) for (const budget of await limitsOf(redis, id, groups)) budgets.set(budget.id, budget);
  const usage = await readBudgetUsage(
    redis,
    account,
    [...budgets.values()].map((budget) => applied(budget, Date.now())),
  );
  for (const each of usage) {
    const hasRefused = (calls.refused.get(each.budget.id) ?? 0) >= each.period.startMs;
    const owner = isOfOrganisation(each.budget) ? each.budget.scope : account;
    const reached = budgetAlerts(owner, each, { spentNanos: each.usedNanos, hasRefused });
    if (reached.every((alert) => recorder.isKnown(alert))) continue;
    // The spending in Redis includes the money held for open calls, which may be much more than the calls will cost.
    // The spending in the books does not.
    const { spentNanos = 0n } = (await spendingOfAll(books, account, [each.budget])).get(each.budget.id) ?? {};
    await recorder.record(books, budgetAlerts(owner, each, { spentNanos, hasRefused }));
  }
}

/** Returns the budgets that are stored in an API key's record and in the configuration of its group. */
async function limitsOf(redis: Redis, tokenId: string, groups: Groups): Promise<readonly Budget[]> {
  const token = await findTokenById(redis, tokenId);
  if (token === undefined) return [];
  const { budgets } = callerLimits(token, groups[token.group]?.limits ?? {});
  return budgetsOfCaller(budgets, { tokenId, group: token.group });
}
