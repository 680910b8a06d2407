import {
  appliedBudget,
  budgetsOfCaller,
  callerLimits,
  findBudgets,
  findTokenById,
  isOfOrganisation,
  periodWith,
  readBudgetUsage,
  type Budget,
  type BudgetPeriod,
  type BudgetUsage,
} from "@modelgate/accounts";
import { readAlertPeriods, readTotals, type Books, type NewAlert } from "@modelgate/books";
import { readPublishedConfiguration, type PublishedConfiguration } from "@modelgate/catalog";
import type { UsageEvent } from "@modelgate/contracts";
import type { Redis, WaitingRefusal } from "@modelgate/platform";
import { carriedOver, spendingOf, spendingReads, type SpendingReads } from "../accounts/budget-spending.ts";
import type { FindingDeps } from "./find-alerts.ts";
import { addCall, addCalls, hasRefusedIn, noCalls, type NewCalls } from "./new-calls.ts";
import { budgetAlerts } from "./rules.ts";

const hourMs = 3_600_000;
/**
 * Period before now, in ms. At the start and then every hour, the calls of this period are considered again, because
 * another ledger may have died before it considered them.
 */
const lookBackMs = 24 * hourMs;

/** Maximum ended periods of a budget that are considered, for example days after an outage of the ledger. */
const maxEnded = 31;

/**
 * Finds budgets that have reached a level of their alerts or refused a call. It considers the accounts and API keys
 * whose calls were recorded or refused since the previous step.
 */
export class BudgetAlerts {
  /** New calls by account. */
  readonly #called = new Map<string, NewCalls>();
  #nextLookBackAt = 0;

  /** Notes recorded calls, whose budgets the next step considers. */
  noteCalls(events: readonly Pick<UsageEvent, "accountId" | "tokenId" | "time">[]): void {
    for (const { accountId, tokenId, time } of events)
      addCall(this.#callsOf(accountId), { tokenId, timeMs: Date.parse(time) });
  }

  /** Notes calls that budgets refused, which the next step considers. */
  noteRefused(refusals: readonly WaitingRefusal[]): void {
    for (const { call, budget } of refusals)
      if (budget !== undefined)
        addCall(this.#callsOf(call.accountId), { tokenId: call.tokenId, timeMs: Date.parse(call.time), budget });
  }

  /**
   * Stores the alerts of the budgets in which the noted calls count. If that fails for an account, its noted calls are
   * considered again in the next step.
   */
  async find(books: Books, deps: FindingDeps): Promise<void> {
    const now = Date.now();
    if (now >= this.#nextLookBackAt) {
      const range = {
        from: Math.floor((now - lookBackMs) / hourMs) * hourMs,
        to: Math.ceil((now + 1) / hourMs) * hourMs,
      };
      const totals = await readTotals(books, { ...range, groupBy: ["account", "token", "day"], sums: ["calls"] });
      // The start of the day stands for the times of its calls, so that no ended period is left out.
      this.noteCalls(
        totals.map(({ by: { account = "", token = "", day = "" } }) => ({
          accountId: account,
          tokenId: token,
          time: day,
        })),
      );
      this.#nextLookBackAt = now + hourMs;
    }
    const callsByAccount = [...this.#called];
    if (callsByAccount.length === 0) return;
    const { groups = {} } = (await readPublishedConfiguration(deps.redis)) ?? {};
    for (const [account, calls] of callsByAccount) {
      this.#called.delete(account);
      try {
        await findOfAccount(books, deps, { account, calls, groups });
      } catch (error) {
        addCalls(this.#callsOf(account), calls);
        throw error;
      }
    }
  }

  #callsOf(account: string): NewCalls {
    const calls = this.#called.get(account) ?? noCalls();
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
    [...budgets.values()].map((budget) => appliedBudget(budget, Date.now())),
  );
  const reads = spendingReads(books, account);
  for (const each of usage) {
    const owner = isOfOrganisation(each.budget) ? each.budget.scope : account;
    for (const period of endedPeriods(each, calls.earliestMs)) {
      const alerts = await alertsOfEndedPeriod(books, reads, { owner, budget: each.budget, period, calls });
      await recorder.record(books, alerts);
    }
    const hasRefused = hasRefusedIn(calls, each.budget.id, each.period);
    const possibleAlerts = budgetAlerts(owner, each, { spentNanos: each.usedNanos, hasRefused });
    if (possibleAlerts.every((alert) => recorder.isKnown(alert))) continue;
    // The spending in Redis includes the money held for open calls, which may be much more than the calls will cost.
    // The spending in the books does not.
    const { spentNanos: booked } = await spendingOf(reads, each.budget, Date.now());
    // The books also have what an account spent before it joined the organisation, which does not count for the budget.
    const isLess = isOfOrganisation(each.budget) && each.usedNanos < booked;
    await recorder.record(
      books,
      budgetAlerts(owner, each, { spentNanos: isLess ? each.usedNanos : booked, hasRefused }),
    );
  }
}

/**
 * Returns the ended periods in which a budget existed, from that of the earliest new call on. A limit that is set with
 * a key or a group has no creation time: it counts as existing up to the last ended period in which it was used.
 */
function endedPeriods({ budget, period, usedBefore }: BudgetUsage, earliestMs: number): readonly BudgetPeriod[] {
  const { period: name, zone = "UTC", createdAt } = budget;
  const ended: BudgetPeriod[] = [];
  for (let next = period; next.startMs > earliestMs && ended.length < maxEnded; ended.unshift(next))
    next = periodWith(name, zone, next.number - 1);
  return ended.filter(({ number, endMs }) => (createdAt === "" ? number <= usedBefore : endMs > Date.parse(createdAt)));
}

/**
 * Returns the alerts about an ended period of a budget, unless one with the same or a higher level is stored, with any
 * amount of the budget.
 */
async function alertsOfEndedPeriod(
  books: Books,
  reads: SpendingReads,
  of: { owner: string; budget: Budget; period: BudgetPeriod; calls: NewCalls },
): Promise<readonly NewAlert[]> {
  const { owner, budget, period, calls } = of;
  // Read from the books, because Redis has only the spending of the latest period.
  const { spentNanos, leftBefore = 0n } = await spendingOf(reads, budget, period.endMs - 1);
  const carriedNanos = carriedOver(budget, leftBefore);
  const hasRefused = hasRefusedIn(calls, budget.id, period);
  const possibleAlerts = budgetAlerts(
    owner,
    { budget, period, carriedNanos },
    { spentNanos, hasRefused, isOver: true },
  );
  const [first] = possibleAlerts;
  if (first === undefined) return possibleAlerts;
  const stored = (await readAlertPeriods(books, first, `${budget.period}/${period.number}/`)).map(levelOf);
  const isStored = (level: string | undefined): boolean =>
    stored.some((each) => each === level || Number(each) >= Number(level));
  return possibleAlerts.filter((alert) => !isStored(levelOf(alert.period)));
}

/** Returns the level in the period of an alert, `month/680/80/1000` for example. */
function levelOf(period: string): string | undefined {
  return period.split("/")[2];
}

/** Returns the budgets that are stored in an API key's record and in the configuration of its group. */
async function limitsOf(redis: Redis, tokenId: string, groups: Groups): Promise<readonly Budget[]> {
  const token = await findTokenById(redis, tokenId);
  if (token === undefined) return [];
  const { budgets } = callerLimits(token, groups[token.group]?.limits ?? {});
  return budgetsOfCaller(budgets, { tokenId, group: token.group });
}
