import { unknownModel } from "@modelgate/catalog";
import { bodies } from "@modelgate/contracts";
import { answerJson, type EndpointHandler } from "@modelgate/platform";
import { checked, readJson } from "@modelgate/relay";
import { modelLists, modelOfShow, showOllamaModel as show } from "@modelgate/wires/models";
import type { Deps } from "../deps.ts";
import { listedIn } from "./models.ts";

/** Newest Ollama version whose requests the gateway understands; clients check it before they use new features. */
const version = "0.13.0";

/** GET /api/tags. */
export function listOllamaModels({ relay }: Deps): EndpointHandler {
  return async (call) => {
    answerJson(call.response, 200, modelLists.ollama.list(listedIn(relay, call), call.query));
  };
}

/** GET /api/ps: lists all models, because vendors' models are always loaded. */
export function listReadyOllamaModels(deps: Deps): EndpointHandler {
  return listOllamaModels(deps);
}

/** GET /api/version. */
export function ollamaVersion(): EndpointHandler {
  return async ({ response }) => {
    answerJson(response, 200, { version });
  };
}

/** POST /api/show. */
export function showOllamaModel(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(
      call,
      deps.body,
      checked(modelOfShow, Object.keys(bodies.OllamaShowRequest.properties)),
    );
    const model = listedIn(deps.relay, call).find(({ name }) => name === body.seen);
    if (model === undefined) throw unknownModel(body.seen);
    answerJson(call.response, 200, show(model));
  };
}
