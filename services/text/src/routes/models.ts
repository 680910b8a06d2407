import { Failure, listFormatOf } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { modelLists, type ModelList } from "@modelgate/wires/models";
import type { Deps } from "../deps.ts";

/** GET /v1/models and GET /v1beta/models (interface endpoints 1 and 2): what the token can call now. */
export function listModels({ relay }: Deps): EndpointHandler {
  return async (call) => {
    const models = relay.catalog.current().modelsOf(call.caller);
    answerJson(call.response, 200, listOf(call).list(models, call.query));
  };
}

/** GET /api/tags, of Ollama's clients. */
export function listOllamaModels({ relay }: Deps): EndpointHandler {
  return async (call) => {
    const models = relay.catalog.current().modelsOf(call.caller);
    answerJson(call.response, 200, modelLists.ollama.list(models, call.query));
  };
}

/** GET /v1/models/{model} and GET /v1beta/models/{model}. */
export function getModel({ relay }: Deps): EndpointHandler {
  return async (call) => {
    const name = (call.params["model"] ?? "").replace(/^models\//, "");
    const model = relay.catalog
      .current()
      .modelsOf(call.caller)
      .find((known) => known.name === name);
    if (model === undefined) throw new Failure("model_not_found", undefined, { param: "model" });
    answerJson(call.response, 200, listOf(call).one(model));
  };
}

function listOf({ endpoint, caller, request, query }: ServiceCall): ModelList {
  if (endpoint.errors !== "by-request") return modelLists.gamma;
  return modelLists[caller.format ?? listFormatOf(request.headers, query.has("key"))];
}
