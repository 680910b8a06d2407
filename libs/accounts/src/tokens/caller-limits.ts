import { dollarsToNanos, withoutUndefined, type Caller } from "@modelgate/contracts";
import type { Token } from "./token.ts";

/** Limits in the configuration of a group. */
export interface GroupLimits {
  readonly tokensPerMinute?: number | undefined;
  readonly dollarsPerDay?: number | undefined;
  readonly dollarsPerMonth?: number | undefined;
}

/**
 * Returns the id of the limits of requests, tokens and concurrency that an API key counts against. A key that a member
 * created shares them with all members' keys of the account in the same group; every other key has separate limits.
 */
export function limitsIdOf({ id, group, ofMember }: Pick<Token, "group" | "id" | "ofMember">): string {
  return ofMember === true ? `members:${group}` : id;
}

/** Returns the limits of a caller: those of its API key and of the key's group, and the team and member of the key. */
export function callerLimits(
  token: Pick<Token, "budget" | "group" | "id" | "member" | "models" | "ofMember" | "team" | "within">,
  { tokensPerMinute, dollarsPerDay, dollarsPerMonth }: GroupLimits,
): Pick<Caller, "budgets" | "group" | "limitsId" | "member" | "models" | "team" | "tokensPerMinute"> {
  const { group, models, budget = {}, within, team, member } = token;
  const ofGroup = (dollars: number | undefined) =>
    dollars === undefined ? undefined : dollarsToNanos(dollars).toString();
  const budgets = withoutUndefined({
    tokenPerDay: budget.perDay,
    tokenPerMonth: budget.perMonth,
    tokenRequestsPerDay: budget.requestsPerDay,
    within: within?.id,
    withinPerDay: within?.perDay,
    withinPerMonth: within?.perMonth,
    withinRequestsPerDay: within?.requestsPerDay,
    groupPerDay: ofGroup(dollarsPerDay),
    groupPerMonth: ofGroup(dollarsPerMonth),
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
