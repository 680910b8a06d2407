import type { EndpointHandler } from "@modelgate/platform";
import { checked, readJson } from "@modelgate/relay";
import { askOfCompletions, reliedOfCompletions } from "@modelgate/wires";
import type { Deps } from "../deps.ts";
import { runText } from "../text-call.ts";

/** POST /v1/completions (interface endpoint 7): also with models that only chat. */
export function completions(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call.request, deps.body, checked(askOfCompletions, reliedOfCompletions));
    await runText(deps, call, { wire: "completions", body: body.bytes, ask: body.seen });
  };
}
