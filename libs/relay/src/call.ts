import type { CatalogModel, Group } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import type { CallDeps } from "./deps.ts";

/** A call that came in: who calls, which endpoint, and where the answer goes. */
export type Call = Pick<
  ServiceCall,
  "answer" | "caller" | "ending" | "endpoint" | "id" | "log" | "requestId" | "strict"
> &
  Partial<Pick<ServiceCall, "facts" | "span">>;

/** The model that is to serve a call, and what it costs the caller. */
export interface ServingModel {
  readonly model: CatalogModel;
  /** The group's price multiplier. */
  readonly multiplier: number;
  /** The model that the client named, where that is another one. */
  readonly requested?: string | undefined;
  /** Treatment of tools and service tiers that the model has no price for. */
  readonly unpriced: Group["unpriced"];
}

/** Resolves the model that a client names, and its price for this caller. Throws Failure for one that the caller cannot use. */
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
