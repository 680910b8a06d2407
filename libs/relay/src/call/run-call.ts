import { Failure } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import type { RelayDeps } from "../deps.ts";
import { priced, type PricedModel } from "../money/priced.ts";
import type { CallPlan, PlannedCall, RelayedCall } from "./plan.ts";
import { serveCall, type SessionBytes } from "./serve-call.ts";

/** Whose call it is, as models are resolved for it. */
type CalledBy = RelayedCall & Pick<ServiceCall, "endpoint">;

/**
 * Runs a call of the model that its client names: planned for that, and where no channel of it is to be had, for each of its
 * fallbacks that the caller may use, with the money held anew at the fallback's own price. Throws Failure as `serveCall`
 * does, and for a model or group that the caller cannot use.
 */
export async function runCall(
  deps: RelayDeps,
  call: CalledBy,
  name: string,
  plan: (serving: PricedModel) => PlannedCall | Promise<PlannedCall>,
): Promise<void> {
  const planned = async (serving: PricedModel): Promise<CallPlan> => {
    const { model, multiplier, requested } = serving;
    return { ...(await plan(serving)), model, multiplier, requested };
  };
  const first = priced(deps, call, name);
  const left = fallbacksOf(deps, name, first);
  const standIn = async (): Promise<CallPlan | undefined> => {
    for (let other = left.shift(); other !== undefined; other = left.shift()) {
      const found = await unlessRefused(async () => planned({ ...priced(deps, call, other), requested: name }));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  let passed: SessionBytes | undefined;
  let next: CallPlan | undefined = await planned(first);
  while (next !== undefined) {
    passed = await serveCall(deps, call, next, { before: passed, standIn });
    next = passed?.next;
  }
}

/** What may serve in a model's stead: the fallbacks of the one that was to serve, which may be a share, and of the one named. */
function fallbacksOf({ catalog }: RelayDeps, name: string, { model }: PricedModel): string[] {
  const { fallbacksOf: listed } = catalog.current();
  const all = new Set([...listed(model.name), ...listed(name)]);
  all.delete(model.name);
  return [...all];
}

/** What `work` gives; undefined where the caller, or the request, cannot have it. */
async function unlessRefused<Given>(work: () => Promise<Given>): Promise<Given | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
