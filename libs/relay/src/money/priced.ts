import { Failure } from "@modelgate/contracts";
import type { Group } from "@modelgate/catalog";
import type { ServiceCall } from "@modelgate/platform";
import type { ServingModel } from "../call/plan.ts";
import type { RelayDeps } from "../deps.ts";

/** A model with what it costs a caller, and what the caller's group says of what has no price. */
export interface PricedModel extends ServingModel {
  readonly unpriced: Group["unpriced"];
}

/** The model and what it costs this caller. Throws Failure for a model or group that it cannot use. */
export function priced(
  deps: Pick<RelayDeps, "catalog">,
  { caller, endpoint }: Pick<ServiceCall, "caller" | "endpoint">,
  name: string,
): PricedModel {
  const catalog = deps.catalog.current();
  const model = catalog.resolve(caller, name, endpoint.kinds ?? []);
  const group = catalog.group(caller.group);
  if (group === undefined) throw new Failure("group_not_allowed");
  const requested = model.name === name ? undefined : name;
  return { model, multiplier: group.multiplier, unpriced: group.unpriced, requested };
}
