import type { EndpointHandler } from "@modelgate/platform";
import { checked, readJson } from "@modelgate/relay";
import { askOfChat, reliedOfChat } from "@modelgate/wires/text";
import { asTurn } from "../conversation-of.ts";
import type { Deps } from "../deps.ts";
import { runText } from "../text-call.ts";

/** POST /v1/chat/completions (interface endpoint 3). */
export function chatCompletions(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, checked(asTurn(deps, call, "chat", askOfChat), reliedOfChat));
    await runText(deps, call, { wire: "chat", body: body.bytes, ask: body.seen });
  };
}
