import { nanosOf, present, type Caller } from "@modelgate/contracts";
import type { Token } from "./token.ts";

/** Limits of a token's group, as the configuration has them. */
export interface GroupLimits {
  readonly tokensPerMinute?: number | undefined;
  readonly dollarsPerDay?: number | undefined;
  readonly dollarsPerMonth?: number | undefined;
}

/** Returns the limits of a caller: those of its token and of its token's group. */
export function callerLimits(
  { group, models, budget = {}, within }: Pick<Token, "budget" | "group" | "models" | "within">,
  { tokensPerMinute, dollarsPerDay, dollarsPerMonth }: GroupLimits,
): Pick<Caller, "budgets" | "group" | "models" | "tokensPerMinute"> {
  const ofGroup = (dollars: number | undefined) => (dollars === undefined ? undefined : nanosOf(dollars).toString());
  const budgets = Object.entries({
    tokenPerDay: budget.perDay,
    tokenPerMonth: budget.perMonth,
    within: within?.id,
    withinPerDay: within?.perDay,
    withinPerMonth: within?.perMonth,
    groupPerDay: ofGroup(dollarsPerDay),
    groupPerMonth: ofGroup(dollarsPerMonth),
  }).filter(([, value]) => value !== undefined);
  return {
    group,
    ...present({
      models: models && [...models],
      tokensPerMinute,
      budgets: budgets.length === 0 ? undefined : Object.fromEntries(budgets),
    }),
  };
}
