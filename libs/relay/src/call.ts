import type { CatalogModel, Group } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import type { CallDeps } from "./deps.ts";

/** An incoming call: its caller, its endpoint and its sink. */
export type Call = Pick<
  ServiceCall,
  "answer" | "caller" | "ending" | "endpoint" | "id" | "log" | "requestId" | "strict"
> &
  Partial<Pick<ServiceCall, "facts" | "span">>;

/** Model that serves a call, and its price for the caller. */
export interface ServingModel {
  readonly model: CatalogModel;
  /** Price multiplier of the caller's group. */
  readonly multiplier: number;
  /** Name of the model in the client's request, if it differs. */
  readonly requested?: string | undefined;
  /** Treatment of tools and service tiers for which the model has no price. */
  readonly unpriced: Group["unpriced"];
}

/**
 * Resolves the model that a client names, and its price for this caller. Throws Failure if the caller cannot use it.
 */
export function priced(
  deps: Pick<CallDeps, "catalog">,
  { caller, endpoint, facts }: Pick<Call, "caller" | "endpoint" | "facts">,
  name: string,
): ServingModel {
  if (facts !== undefined) facts.model ??= name;
  const catalog = deps.catalog.current();
  const model = catalog.resolve(caller, name, endpoint.kinds ?? []);
  const group = catalog.group(caller.group);
  if (group === undefined) throw new Failure("group_not_allowed");
  const requested = model.name === name ? undefined : name;
  return { model, multiplier: group.multiplier, unpriced: group.unpriced, requested };
}
