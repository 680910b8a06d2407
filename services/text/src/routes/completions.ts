import type { EndpointHandler } from "@modelgate/platform";
import { textWires } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { readText } from "../read-text.ts";
import { runText } from "../text-kind.ts";

/** POST /v1/completions (interface endpoint 7), which also accepts models that only chat. */
export function completions(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readText(deps, call, textWires.completions.client);
    await runText(deps, call, { wire: "completions", body: body.bytes, params: body.seen });
  };
}
