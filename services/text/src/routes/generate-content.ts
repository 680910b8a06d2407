import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { resolveServingModel } from "@modelgate/relay";
import { wires } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { readText } from "../read-text.ts";
import { runImage } from "../image-kind.ts";
import { newAnswerId, runText, TextCallKind } from "../text-kind.ts";
import { admitStoreUse } from "../vendor-ids.ts";

/** POST /v1beta/models/{model}:generateContent: answers with one JSON document. */
export function generateContent(deps: Deps): EndpointHandler {
  return contentHandler(deps, false);
}

/** POST /v1beta/models/{model}:streamGenerateContent: answers with events if `alt=sse`, otherwise with an array. */
export function streamGenerateContent(deps: Deps): EndpointHandler {
  return contentHandler(deps, true);
}

function contentHandler(deps: Deps, stream: boolean): EndpointHandler {
  const kind = new TextCallKind(deps);
  return async (call) => {
    const path = { model: modelIn(call), stream };
    using body = await readText(deps, call, wires.content.client, path);
    const asArray = stream && call.query.get("alt") !== "sse";
    const read = { wire: "content", body: body.bytes, params: body.inspected, asArray } as const;
    if (resolveServingModel(deps.relay, call, path.model).model.kind !== "image")
      return await runText(kind, call, read);
    const admitted = await admitStoreUse(deps, call, body.inspected);
    const answerId = newAnswerId(deps, "content");
    const input = { ...read, model: path.model, answerId, admitted, forward: undefined };
    const imageParams = { ...path, asArray, body: body.bytes, answerId, imageSize: body.inspected.imageSize };
    await runImage(deps, call, input, imageParams);
  };
}

/** Returns the model in the path, without the prefix `models/`. */
export function modelIn({ params }: ServiceCall): string {
  return (params["model"] ?? "").replace(/^models\//, "");
}
