import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { runCall } from "@modelgate/relay";
import { textCodecs } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { readText } from "../read-text.ts";
import { runImage } from "../run-image.ts";
import { newAnswerId, planText } from "../text-call.ts";
import { admitStoreUse } from "../vendor-ids.ts";

/** POST /v1beta/models/{model}:generateContent (interface endpoint 14). */
export function generateContent(deps: Deps): EndpointHandler {
  return answering(deps, false);
}

/** POST /v1beta/models/{model}:streamGenerateContent: server-sent events with `alt=sse`, else one JSON array. */
export function streamGenerateContent(deps: Deps): EndpointHandler {
  return answering(deps, true);
}

function answering(deps: Deps, stream: boolean): EndpointHandler {
  return async (call) => {
    const path = { model: modelIn(call), stream };
    using body = await readText(deps, call, textCodecs.content.client, path);
    const asArray = stream && call.query.get("alt") !== "sse";
    const admitted = await admitStoreUse(deps, call, body.seen);
    const plan = await planText(deps, call, { wire: "content", body: body.bytes, ask: body.seen, asArray, admitted });
    if (plan.model.kind !== "image") return runCall(deps.relay, call, plan);
    const drawing = {
      ...path,
      asArray,
      body: body.bytes,
      answerId: newAnswerId(deps, "content"),
      imageSize: body.seen.imageSize,
    };
    await runImage(deps, call, plan, drawing);
  };
}

/** The model of the path, with or without the prefix `models/`. */
export function modelIn({ params }: ServiceCall): string {
  return (params["model"] ?? "").replace(/^models\//, "");
}
