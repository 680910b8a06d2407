import { unknownModelFailure } from "@modelgate/catalog";
import { listFormatOf, unitPriceText, type Price } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import type { Deps } from "../deps.ts";
import { modelLists, type ListedModel, type ModelList } from "../model-lists.ts";

/** GET /v1/models and GET /v1beta/models: lists the models that the API key can call now. */
export function listModels({ relay }: Deps): EndpointHandler {
  return async (call) => {
    answerJson(call.response, 200, listFormatFor(call).list(modelsForCaller(relay, call), call.query));
  };
}

/** GET /v1/models/{model} and GET /v1beta/models/{model}: returns one model. */
export function getModel({ relay }: Deps): EndpointHandler {
  return async (call) => {
    const name = (call.params["model"] ?? "").replace(/^models\//, "");
    const model = modelsForCaller(relay, call).find((candidate) => candidate.name === name);
    if (model === undefined) throw unknownModelFailure(name);
    answerJson(call.response, 200, listFormatFor(call).one(model));
  };
}

/** Returns the models that a caller can call, with the prices of its group. */
export function modelsForCaller({ catalog }: Deps["relay"], { caller }: ServiceCall): readonly ListedModel[] {
  const { multiplier } = catalog.current().group(caller.group) ?? {};
  return catalog
    .current()
    .modelsOf(caller)
    .map((model) => ({ ...model, pricing: pricingOf(model.price, multiplier) }));
}

/** Units of the price names that OpenRouter's clients read. `second` and `character` are our additions. */
const pricedUnits = {
  prompt: "inputTokens",
  completion: "outputTokens",
  request: "requests",
  image: "images",
  audio: "inputAudioTokens",
  input_cache_read: "cachedInputTokens",
  input_cache_write: "cacheWriteTokens",
  web_search: "webSearches",
  second: "seconds",
  character: "characters",
} as const;

function pricingOf(price: Price, multiplier = 1): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(pricedUnits).flatMap(([name, unit]) =>
      price.has(unit) ? [[name, unitPriceText(price, unit, multiplier)]] : [],
    ),
  );
}

function listFormatFor({ endpoint, caller, request, query }: ServiceCall): ModelList {
  if (endpoint.errors !== "by-request") return modelLists.gamma;
  return modelLists[caller.format ?? listFormatOf(request.headers, query.has("key"))];
}
