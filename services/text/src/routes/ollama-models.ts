import { unknownModelFailure } from "@modelgate/catalog";
import { bodies } from "@modelgate/contracts";
import { answerJson, type EndpointHandler } from "@modelgate/platform";
import { readJson } from "@modelgate/relay";
import type { Deps } from "../deps.ts";
import { modelLists, modelOfShowRequest, showOllamaModel as show } from "../model-lists.ts";
import { modelsForCaller } from "./models.ts";

/** Latest Ollama version whose requests the gateway understands. Clients check it before they use new features. */
const version = "0.13.0";

/** GET /api/tags: lists the models. */
export function listOllamaModels({ relay }: Deps): EndpointHandler {
  return async (call) => {
    answerJson(call.response, 200, modelLists.ollama.list(modelsForCaller(relay, call), call.query));
  };
}

/** GET /api/ps: lists the loaded models. These are all models, because vendors need not load them. */
export function listReadyOllamaModels(deps: Deps): EndpointHandler {
  return listOllamaModels(deps);
}

/** GET /api/version: returns the version. */
export function ollamaVersion(): EndpointHandler {
  return async ({ response }) => {
    answerJson(response, 200, { version });
  };
}

/** POST /api/show: describes one model. */
export function showOllamaModel(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, modelOfShowRequest, Object.keys(bodies.OllamaShowRequest.properties));
    const model = modelsForCaller(deps.relay, call).find(({ name }) => name === body.inspected);
    if (model === undefined) throw unknownModelFailure(body.inspected);
    answerJson(call.response, 200, show(model));
  };
}
