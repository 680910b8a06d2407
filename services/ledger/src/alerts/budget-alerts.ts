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
import {
  rolloverAmount,
  computeSpending,
  cachedAccountQueries,
  type AccountQueries,
} from "../accounts/budget-spending.ts";
import type { AlertStepDeps } from "./record-alerts.ts";
import { addCall, mergeCalls, hasRefusedIn, noNewCalls, type NewCalls } from "./new-calls.ts";
import { budgetAlerts } from "./rules.ts";

const hourMs = 3_600_000;
/**
 * Maximum age in ms of calls that are considered again every hour, because another ledger may have died before it
 * stored their alerts.
 */
const lookBackMs = 24 * hourMs;

/** Maximum number of ended periods of a budget that are considered. */
const maxEndedPeriods = 31;

/** Finds budgets that reached an alert level or refused a call, after new calls of their account. */
export class BudgetAlerts {
  readonly #newCalls = new Map<string, NewCalls>();
  #nextLookBackAt = 0;

  /** Remembers recorded calls for the next `record`. */
  noteCalls(events: readonly Pick<UsageEvent, "accountId" | "tokenId" | "time">[]): void {
    for (const { accountId, tokenId, time } of events)
      addCall(this.#callsOf(accountId), { tokenId, timeMs: Date.parse(time) });
  }

  /** Remembers calls that a budget refused, for the next `record`. Other refusals are ignored. */
  noteRefused(refusals: readonly WaitingRefusal[]): void {
    for (const { call, budget } of refusals)
      if (budget !== undefined)
        addCall(this.#callsOf(call.accountId), { tokenId: call.tokenId, timeMs: Date.parse(call.time), budget });
  }

  /**
   * Stores alerts about the budgets of remembered calls, and once an hour of all recent calls. After a failure, the
   * next `record` considers the calls of the failed account again.
   */
  async record(books: Books, deps: AlertStepDeps): Promise<void> {
    const now = Date.now();
    if (now >= this.#nextLookBackAt) {
      const range = {
        from: Math.floor((now - lookBackMs) / hourMs) * hourMs,
        to: Math.ceil((now + 1) / hourMs) * hourMs,
      };
      const totals = await readTotals(books, { ...range, groupBy: ["account", "token", "day"], sums: ["calls"] });
      // The totals have only the day of a call. Its start is used as the time, so that no ended period is missed.
      this.noteCalls(
        totals.map(({ by: { account = "", token = "", day = "" } }) => ({
          accountId: account,
          tokenId: token,
          time: day,
        })),
      );
      this.#nextLookBackAt = now + hourMs;
    }
    const callsByAccount = [...this.#newCalls];
    if (callsByAccount.length === 0) return;
    const { groups = {} } = (await readPublishedConfiguration(deps.redis)) ?? {};
    for (const [account, calls] of callsByAccount) {
      this.#newCalls.delete(account);
      try {
        await recordOfAccount(books, deps, { account, calls, groups });
      } catch (error) {
        mergeCalls(this.#callsOf(account), calls);
        throw error;
      }
    }
  }

  #callsOf(account: string): NewCalls {
    const calls = this.#newCalls.get(account) ?? noNewCalls();
    this.#newCalls.set(account, calls);
    return calls;
  }
}

type Groups = PublishedConfiguration["groups"];

async function recordOfAccount(
  books: Books,
  { redis, recorder }: AlertStepDeps,
  { account, calls, groups }: { account: string; calls: NewCalls; groups: Groups },
): Promise<void> {
  const budgets = new Map((await findBudgets(redis, account)).map((budget) => [budget.id, budget]));
  for (const id of calls.tokens)
    for (const budget of await budgetsOfToken(redis, id, groups)) budgets.set(budget.id, budget);
  const usage = await readBudgetUsage(
    redis,
    account,
    [...budgets.values()].map((budget) => appliedBudget(budget, Date.now())),
  );
  const queries = cachedAccountQueries(books, account);
  for (const each of usage) {
    const owner = isOfOrganisation(each.budget) ? each.budget.scope : account;
    for (const period of endedPeriods(each, calls.earliestMs)) {
      const alerts = await alertsOfEndedPeriod(books, queries, { owner, budget: each.budget, period, calls });
      await recorder.record(books, alerts);
    }
    const hasRefused = hasRefusedIn(calls, each.budget.id, each.period);
    const possibleAlerts = budgetAlerts(owner, each, { spentNanos: each.usedNanos, hasRefused });
    if (possibleAlerts.every((alert) => recorder.isKnown(alert))) continue;
    // The spending is read from the books. Redis also includes the holds of open calls, which may exceed their cost.
    const { spentNanos: booked } = await computeSpending(queries, each.budget, Date.now());
    // The books include spending before the account joined the organisation.
    const isLess = isOfOrganisation(each.budget) && each.usedNanos < booked;
    await recorder.record(
      books,
      budgetAlerts(owner, each, { spentNanos: isLess ? each.usedNanos : booked, hasRefused }),
    );
  }
}

/**
 * Returns the ended periods of a budget since the earliest new call. A limit of a key or group has no creation time, so
 * only periods up to its last use are returned.
 */
function endedPeriods({ budget, period, usedBefore }: BudgetUsage, earliestMs: number): readonly BudgetPeriod[] {
  const { period: name, zone = "UTC", createdAt } = budget;
  const ended: BudgetPeriod[] = [];
  for (let next = period; next.startMs > earliestMs && ended.length < maxEndedPeriods; ended.unshift(next))
    next = periodWith(name, zone, next.number - 1);
  return ended.filter(({ number, endMs }) => (createdAt === "" ? number <= usedBefore : endMs > Date.parse(createdAt)));
}

/** Returns the alerts about an ended period, unless the same or a higher level is already stored. */
async function alertsOfEndedPeriod(
  books: Books,
  queries: AccountQueries,
  of: { owner: string; budget: Budget; period: BudgetPeriod; calls: NewCalls },
): Promise<readonly NewAlert[]> {
  const { owner, budget, period, calls } = of;
  // The spending is read from the books, because Redis has only that of the latest period.
  const { spentNanos, leftBefore = 0n } = await computeSpending(queries, budget, period.endMs - 1);
  const carriedNanos = rolloverAmount(budget, leftBefore);
  const hasRefused = hasRefusedIn(calls, budget.id, period);
  const possibleAlerts = budgetAlerts(
    owner,
    { budget, period, carriedNanos },
    { spentNanos, hasRefused, hasEnded: true },
  );
  const [first] = possibleAlerts;
  if (first === undefined) return possibleAlerts;
  const stored = (await readAlertPeriods(books, first, `${budget.period}/${period.number}/`)).map(levelOf);
  const isStored = (level: string | undefined): boolean =>
    stored.some((each) => each === level || Number(each) >= Number(level));
  return possibleAlerts.filter((alert) => !isStored(levelOf(alert.period)));
}

/** Returns the level in an alert's period, for example of `month/680/80/1000`. */
function levelOf(period: string): string | undefined {
  return period.split("/")[2];
}

/** Returns the budgets of an API key and of its group's configuration. */
async function budgetsOfToken(redis: Redis, tokenId: string, groups: Groups): Promise<readonly Budget[]> {
  const token = await findTokenById(redis, tokenId);
  if (token === undefined) return [];
  const { budgets } = callerLimits(token, groups[token.group]?.limits ?? {});
  return budgetsOfCaller(budgets, { tokenId, group: token.group });
}
