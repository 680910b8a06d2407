import { dollarsToNanos, withoutUndefined, type Caller } from "@modelgate/contracts";
import type { Token } from "./token.ts";

export interface GroupLimits {
  readonly tokensPerMinute?: number | undefined;
  readonly dollarsPerDay?: number | undefined;
  readonly dollarsPerMonth?: number | undefined;
}

/**
 * Returns the id of the limits of an API key. In each account and group, the keys that members created share limits.
 * Every other key has separate limits.
 */
export function limitsIdOf({ id, group, ofMember }: Pick<Token, "group" | "id" | "ofMember">): string {
  return ofMember === true ? `members:${group}` : id;
}

/** Returns the limits of a caller, and the team and member of its API key. */
export function callerLimits(
  token: Pick<Token, "budget" | "group" | "id" | "member" | "models" | "ofMember" | "team" | "within">,
  { tokensPerMinute, dollarsPerDay, dollarsPerMonth }: GroupLimits,
): Pick<Caller, "budgets" | "group" | "limitsId" | "member" | "models" | "team" | "tokensPerMinute"> {
  const { group, models, budget = {}, within, team, member } = token;
  const nanosText = (dollars: number | undefined) =>
    dollars === undefined ? undefined : dollarsToNanos(dollars).toString();
  const budgets = withoutUndefined({
    tokenPerDay: budget.perDay,
    tokenPerMonth: budget.perMonth,
    tokenRequestsPerDay: budget.requestsPerDay,
    within: within?.id,
    withinPerDay: within?.perDay,
    withinPerMonth: within?.perMonth,
    withinRequestsPerDay: within?.requestsPerDay,
    groupPerDay: nanosText(dollarsPerDay),
    groupPerMonth: nanosText(dollarsPerMonth),
  });
  return {
    group,
    ...withoutUndefined({
      models: models && [...models],
      tokensPerMinute,
      team,
      member,
      limitsId: token.ofMember === true ? limitsIdOf(token) : undefined,
      budgets: Object.keys(budgets).length === 0 ? undefined : budgets,
    }),
  };
}
