import type { EndpointHandler } from "@modelgate/platform";
import { checked, readJson } from "@modelgate/relay";
import { endUserIn } from "@modelgate/wires/json";
import { askOfCompletions, reliedOfCompletions } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { withStoreUse } from "../vendor-ids.ts";
import { runText } from "../text-call.ts";

/** POST /v1/completions (interface endpoint 7): also with models that only chat. */
export function completions(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(
      call,
      deps.body,
      checked(
        withStoreUse(deps, "other", (value) => ({ ...askOfCompletions(value), endUser: endUserIn("openai", value) })),
        reliedOfCompletions,
      ),
    );
    await runText(deps, call, { wire: "completions", body: body.bytes, ask: body.seen });
  };
}
