import type { EndpointHandler } from "@modelgate/platform";
import { checked, kindExchange, readJson } from "@modelgate/relay";
import { askOfRerank, cohereCodec, jinaCodec, reliedOfRerank } from "@modelgate/wires";
import type { Deps } from "../deps.ts";
import { runKind } from "../kind-call.ts";

/** POST /v1/rerank (interface endpoint 10). */
export function rerank(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call.request, deps.body, checked(askOfRerank, reliedOfRerank));
    await runKind(deps, call, {
      ask: body.seen,
      body: body.bytes,
      wires: ["jina-rerank", "cohere-rerank"],
      exchange: (wire, asked, upstreamModel) =>
        kindExchange(asked, jinaCodec, wire === "cohere-rerank" ? cohereCodec : jinaCodec, upstreamModel),
    });
  };
}
