import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { readJson, type Forwarded } from "@modelgate/relay";
import { wires } from "@modelgate/wires/text";
import type { RequestPath } from "@modelgate/wires/wire";
import { inputTokensOf, type CountingWire } from "../count-tokens.ts";
import type { Deps } from "../deps.ts";
import { admitStoreUse, withStoreUse } from "../vendor-ids.ts";
import { modelIn } from "./generate-content.ts";
import { readForwarded } from "./messages.ts";

/** POST /v1/messages/count_tokens. */
export function countMessageTokens(deps: Deps): EndpointHandler {
  return async (call) => {
    const forward = readForwarded(call, wires.messages.client.count.wire);
    await answerCount(deps, call, wires.messages, {}, forward);
  };
}

/** POST /v1beta/models/{model}:countTokens. */
export function countContentTokens(deps: Deps): EndpointHandler {
  return async (call) => await answerCount(deps, call, wires.content, { model: modelIn(call), stream: false });
}

async function answerCount(
  deps: Deps,
  call: ServiceCall,
  wire: CountingWire,
  path: RequestPath,
  forward?: Forwarded,
): Promise<void> {
  const { count, stores } = wire.client;
  using body = await readJson(
    call,
    deps.body,
    withStoreUse(deps, stores, (value) => count.readParams(value, path)),
  );
  const { bytes, inspected: params } = body;
  const admitted = await admitStoreUse(deps, call, params);
  const prefer = admitted.channelKey;
  const tokens = await inputTokensOf(deps, call, { wire, body: bytes, params, admitted, forward, prefer });
  answerJson(call.response, 200, count.render(tokens));
}
