import type { ServiceCall } from "@modelgate/platform";
import type { RelayDeps } from "./deps.ts";

/** Whether there is more than one way that a call of a model can go: else there is nothing to remember of where it went. */
export function hasChoice(
  { catalog }: Pick<RelayDeps, "catalog">,
  { caller }: Pick<ServiceCall, "caller">,
  model: string,
): boolean {
  const candidates = catalog.current().candidates(model, caller.group);
  return candidates.length > 1 || candidates.some(({ channel }) => channel.keys.length > 1);
}
