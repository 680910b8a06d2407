import {
  organisationOfScope,
  parseNanos,
  recordParser,
  type Budgets,
  type Nanos,
  type UsageDraft,
} from "@modelgate/contracts";
import { Type, type Static } from "typebox";
import { periodAt, periodNames, type BudgetPeriod } from "./period.ts";

const nanos = Type.String({ pattern: "^\\d{1,19}$" });

/**
 * Limit of the spending of an account, or of a part of its calls, in a period. If several budgets apply to a call, its
 * money is reserved in all of them in one step.
 */
export const Budget = Type.Object({
  id: Type.String(),
  name: Type.Optional(Type.String()),
  /**
   * Calls to which the budget applies: `account` (all), `organisation:ID`, `team:ID`, `member:NAME` or
   * `member:TEAM/NAME`, `key:ID`, `group:NAME`, `model:NAME`, `tag:NAME=VALUE` or `end-user:ID`. A key includes the
   * keys that members made within its limits.
   */
  scope: Type.String(),
  period: Type.Enum([...periodNames]),
  /** IANA time zone in which the period begins; absent for the period `total`. */
  zone: Type.Optional(Type.String()),
  /** Amount that may be spent in a period, in nano-dollars. */
  nanos,
  /** A hard budget refuses calls that it does not cover; a soft one does not. */
  mode: Type.Enum(["hard", "soft"]),
  /** Maximum unspent amount in nano-dollars that is added to the next period; default 0. */
  rolloverNanos: Type.Optional(nanos),
  createdAt: Type.String(),
});
export type Budget = Static<typeof Budget>;

/** Parses the budgets of an account. Throws UnknownShape. */
export const readBudgets: (text: string) => readonly Budget[] = recordParser("budgets", Type.Array(Budget));

/** A budget that applies to a call, and the budget's period in which the call is counted. */
export interface AppliedBudget {
  readonly budget: Budget;
  readonly period: BudgetPeriod;
}

/** Members of a call that decide which budgets apply to it. */
export type BudgetedCall = Pick<UsageDraft, "tokenId" | "group" | "team" | "member" | "model" | "tags" | "endUser">;

/**
 * Returns the scopes that a call belongs to, except that of an organisation. `within` is the id of the key whose limits
 * the call's key shares.
 */
export function scopesOf(call: BudgetedCall, within?: string): ReadonlySet<string> {
  const { tokenId, group, team, member, model, tags, endUser } = call;
  const scopes = new Set(["account", `key:${tokenId}`, `group:${group}`, `model:${model}`]);
  if (within !== undefined) scopes.add(`key:${within}`);
  if (team !== undefined) scopes.add(`team:${team}`);
  if (member !== undefined) scopes.add(`member:${member}`);
  if (endUser !== undefined) scopes.add(`end-user:${endUser}`);
  for (const [name, value] of Object.entries(tags ?? {})) scopes.add(`tag:${name}=${value}`);
  return scopes;
}

/** Returns the budgets of an account that apply to a call. Those of an organisation apply to every call. */
export function budgetsOfCall(
  budgets: readonly Budget[],
  call: BudgetedCall,
  nowMs: number,
  within?: string,
): readonly AppliedBudget[] {
  if (budgets.length === 0) return [];
  const scopes = scopesOf(call, within);
  return budgets
    .filter((each) => scopes.has(each.scope) || isOfOrganisation(each))
    .map((budget) => appliedBudget(budget, nowMs));
}

/** Returns true if a budget belongs to an organisation, whose accounts share its spending. */
export function isOfOrganisation({ scope }: Pick<Budget, "scope">): boolean {
  return organisationOfScope(scope) !== undefined;
}

/** Members of the signed caller with budgets of its key and group. */
const callerBudgetMembers = [
  { name: "tokenPerDay", of: "token", period: "day" },
  { name: "tokenPerMonth", of: "token", period: "month" },
  { name: "withinPerDay", of: "within", period: "day" },
  { name: "withinPerMonth", of: "within", period: "month" },
  { name: "groupPerDay", of: "group", period: "day" },
  { name: "groupPerMonth", of: "group", period: "month" },
] as const;

/** Returns the budgets of a caller's key and group, per day and month in UTC. They are not in the account's list. */
export function budgetsOfCaller(
  limits: Budgets | undefined,
  { tokenId, group }: Pick<UsageDraft, "tokenId" | "group">,
): readonly Budget[] {
  if (limits === undefined) return [];
  const scopes = { token: `key:${tokenId}`, within: `key:${limits.within ?? ""}`, group: `group:${group}` };
  return callerBudgetMembers.flatMap(({ name, of, period }) => {
    const amount = limits[name];
    return amount === undefined ? [] : [makeLimitBudget(scopes[of], period, amount)];
  });
}

/** Returns the budget of a key or a group, per day or month in UTC. */
export function makeLimitBudget(scope: string, period: "day" | "month", amount: string): Budget {
  return { id: `${period}:${scope}`, scope, period, zone: "UTC", nanos: amount, mode: "hard", createdAt: "" };
}

/** Returns the ids of all possible budgets of a key or a group. */
export function limitBudgetIds(scope: string): readonly string[] {
  return [`day:${scope}`, `month:${scope}`];
}

/** Returns the budget with the period that contains a moment. */
export function appliedBudget(budget: Budget, nowMs: number): AppliedBudget {
  return { budget, period: periodAt(budget.period, budget.zone ?? "UTC", nowMs) };
}

/** Renders the budgets of a call as the argument `lines` of the scripts; see budgets.lua. */
export function budgetLines(budgets: readonly AppliedBudget[]): string {
  let lines = "";
  for (const { budget, period } of budgets)
    lines += `${budget.id}\n${period.number}\n${budget.nanos}\n${budget.rolloverNanos ?? ""}\n${budget.mode}\n${isOfOrganisation(budget) ? budget.scope : formerTotal({ budget, period })}\n`;
  return lines;
}

/**
 * Returns the place where earlier versions stored the spending of an API key or a group: the end of the hash's name
 * (for example, the date in `budgets:{sNN}:ACCOUNT:2026-11-26`), a space, and the field. Returns "" for a budget in the
 * account's list.
 */
function formerTotal({ budget, period: { startMs } }: AppliedBudget): string {
  if (budget.createdAt !== "") return "";
  const date = new Date(startMs)
    .toISOString()
    .slice(0, budget.period === "day" ? "2026-11-26".length : "2026-11".length);
  return `${date} ${budget.scope.replace(/^key:/, "token:")}`;
}

/** Spending of a budget in a period. */
export interface BudgetUsage extends AppliedBudget {
  /** Amount that was spent or is reserved for open calls. */
  readonly usedNanos: Nanos;
  /** Unspent amount of earlier periods that is added to this one. */
  readonly carriedNanos: Nanos;
  /** Number of the latest earlier period with spending, or 0. */
  readonly usedBefore: number;
}

/** Returns the amount that is left of a budget; negative if the budget was exceeded. */
export function remainingOf({ budget, carriedNanos, usedNanos }: BudgetUsage): Nanos {
  return parseNanos(budget.nanos) + carriedNanos - usedNanos;
}
