import { once } from "node:events";
import { AttemptsFailed } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import type { RelayDeps } from "../deps.ts";
import type { CallPlan } from "./plan.ts";
import { send } from "./send.ts";
import { vendorLink } from "./vendor-link.ts";

/**
 * Asks a vendor something that costs nothing (how many tokens a request has): the same attempts as a call, without a
 * hold, an event, or an answer to the client. Gives the vendor's answer in the client's wire; throws Failure.
 */
export async function lookUp(deps: RelayDeps, call: ServiceCall, plan: CallPlan): Promise<Buffer> {
  const controller = new AbortController();
  const gone = once(call.response, "close", { signal: controller.signal }).then(
    () => controller.abort(),
    () => undefined,
  );
  try {
    const sending = { callId: deps.newCallId(), signal: controller.signal, firstByte: () => undefined };
    using attempted = await send(deps, call, plan, sending);
    const { accepted } = attempted;
    if (!("whole" in accepted)) throw new Error("a look-up is never streamed");
    const vendor = vendorLink({ deps, call, plan, attempted, signal: controller.signal }, accepted.exchange);
    return (await accepted.whole.carry(vendor)).json;
  } catch (error) {
    throw error instanceof AttemptsFailed ? error.failure : error;
  } finally {
    controller.abort();
    await gone;
  }
}

/** Whether any vendor of a plan's model speaks one of its wires. */
export function isSpoken(
  deps: RelayDeps,
  call: ServiceCall,
  { model, wires }: Pick<CallPlan, "model" | "wires">,
): boolean {
  return deps.catalog
    .current()
    .candidates(model.name, call.caller.group)
    .some((candidate) => deps.channels.spoken.speaks(candidate, wires));
}
