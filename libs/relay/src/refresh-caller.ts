import { callerLimits, checkStillValid } from "@modelgate/accounts";
import { Failure, withoutUndefined, type Caller } from "@modelgate/contracts";
import type { RelayDeps } from "./deps.ts";

/**
 * Returns the caller of an open connection with its current models, budgets and limits. Throws Failure if the API key
 * or its group is no longer valid.
 */
export async function refreshCaller(
  { redis, catalog }: Pick<RelayDeps, "catalog" | "redis">,
  { budgets: _budgets, models: ownModels, tokensPerMinute: _tokensPerMinute, ...rest }: Caller,
): Promise<Caller> {
  const token = await checkStillValid(redis, rest);
  const group = catalog.current().group(token.group);
  if (group === undefined) throw new Failure("group_not_allowed");
  const { models, ...limits } = callerLimits(token, group.limits);
  const allowed = rest.settingsId === undefined ? models : intersect(ownModels, models);
  return { ...rest, ...limits, ...withoutUndefined({ models: allowed }) };
}

/** Restricts the models of a client secret to those of its API key. */
function intersect(tokenNames: string[] | undefined, ownerNames: string[] | undefined): string[] | undefined {
  return tokenNames === undefined || ownerNames === undefined
    ? (tokenNames ?? ownerNames)
    : tokenNames.filter((name) => ownerNames.includes(name));
}
