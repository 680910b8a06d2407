import { bearer, gammaKeys, listKeys, type Endpoint } from "./endpoint.ts";

/** Model lists: interface section 4.1, and the look-up of one model that the SDKs know. */
export const modelEndpoints = {
  listModels: {
    method: "GET",
    path: "/v1/models",
    area: "text",
    errors: "by-request",
    keys: listKeys,
    body: "none",
    summary: "List the models that the key can call, in the list format of the client.",
  },
  getModel: {
    method: "GET",
    path: "/v1/models/{model}",
    area: "text",
    errors: "by-request",
    keys: listKeys,
    body: "none",
    summary: "Look one model up, in the format of the client.",
  },
  listGammaModels: {
    method: "GET",
    path: "/v1beta/models",
    area: "text",
    errors: "gamma",
    keys: gammaKeys,
    body: "none",
    summary: "List the models that the key can call, in the gamma format.",
  },
  getGammaModel: {
    method: "GET",
    path: "/v1beta/models/{model}",
    area: "text",
    errors: "gamma",
    keys: gammaKeys,
    body: "none",
    summary: "Look one model up, in the gamma format.",
  },
  listOllamaModels: {
    method: "GET",
    path: "/api/tags",
    area: "text",
    errors: "common",
    keys: bearer,
    body: "none",
    summary: "List the models that the key can call, for Ollama's clients.",
  },
} as const satisfies Record<string, Endpoint>;
