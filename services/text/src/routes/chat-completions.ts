import type { EndpointHandler } from "@modelgate/platform";
import { textWires } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { readText } from "../read-text.ts";
import { runText } from "../text-kind.ts";

/** POST /v1/chat/completions (interface endpoint 3). */
export function chatCompletions(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readText(deps, call, textWires.chat.client);
    await runText(deps, call, { wire: "chat", body: body.bytes, params: body.seen });
  };
}
