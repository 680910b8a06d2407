import { Failure } from "@modelgate/contracts";
import type { CatalogModel, Group } from "@modelgate/catalog";
import type { ServiceCall } from "@modelgate/platform";
import type { RelayDeps } from "../deps.ts";

/** The model and what it costs this caller. Throws Failure for a model or group that it cannot use. */
export function priced(
  deps: Pick<RelayDeps, "catalog">,
  { caller, endpoint }: Pick<ServiceCall, "caller" | "endpoint">,
  name: string,
): { readonly model: CatalogModel; readonly multiplier: number; readonly unpriced: Group["unpriced"] } {
  const catalog = deps.catalog.current();
  const model = catalog.resolve(caller, name, endpoint.kinds ?? []);
  const group = catalog.group(caller.group);
  if (group === undefined) throw new Failure("group_not_allowed");
  return { model, multiplier: group.multiplier, unpriced: group.unpriced };
}
