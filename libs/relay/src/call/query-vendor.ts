import { AttemptsFailed } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import type { RelayDeps } from "../deps.ts";
import type { RelayedCall, VendorCall } from "./plan.ts";
import { send } from "./send.ts";

/**
 * Asks a vendor something that costs nothing (how many tokens a request has): the same attempts as a call, without a
 * hold, an event, or an answer to the client. Gives the vendor's complete answer; throws Failure.
 */
export async function queryVendor(deps: RelayDeps, call: RelayedCall, query: VendorCall): Promise<Buffer> {
  try {
    using attempted = await send(deps, call, query, { callId: deps.newCallId(), signal: call.ending });
    const { accepted } = attempted;
    if (accepted.kind === "whole") return accepted.answer.body;
    if (accepted.kind === "stream") accepted.held.abort();
    throw new Failure("upstream_error", "The vendor did not answer immediately.");
  } catch (error) {
    throw error instanceof AttemptsFailed ? error.failure : error;
  }
}

/** Whether any vendor of a model speaks one of the wires. */
export function isSupported(
  deps: RelayDeps,
  call: Pick<RelayedCall, "caller">,
  { model, wires }: Pick<VendorCall, "model" | "wires">,
): boolean {
  return deps.catalog
    .current()
    .candidates(model.name, call.caller.group)
    .some((candidate) => deps.channels.supportedWires.speaks(candidate, wires));
}
