import { bearerKeys, geminiKeys, listKeys, type Endpoint } from "./endpoint.ts";

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
    summary: "Get a model, in the format of the client.",
  },
  listGammaModels: {
    method: "GET",
    path: "/v1beta/models",
    area: "text",
    errors: "gamma",
    keys: geminiKeys,
    body: "none",
    summary: "List the models that the key can call, in Google's format.",
  },
  getGammaModel: {
    method: "GET",
    path: "/v1beta/models/{model}",
    area: "text",
    errors: "gamma",
    keys: geminiKeys,
    body: "none",
    summary: "Get a model, in Google's format.",
  },
  listOllamaModels: {
    method: "GET",
    path: "/api/tags",
    area: "text",
    errors: "ollama",
    keys: bearerKeys,
    body: "none",
    summary: "List the models that the key can call, for Ollama's clients.",
  },
  listReadyOllamaModels: {
    method: "GET",
    path: "/api/ps",
    area: "text",
    errors: "ollama",
    keys: bearerKeys,
    body: "none",
    summary: "List all models as ready, for Ollama's clients.",
  },
  showOllamaModel: {
    method: "POST",
    path: "/api/show",
    area: "text",
    errors: "ollama",
    keys: bearerKeys,
    body: "json",
    schema: "OllamaShowRequest",
    summary: "Show a model's capabilities, for Ollama's clients.",
  },
  ollamaVersion: {
    method: "GET",
    path: "/api/version",
    area: "text",
    errors: "ollama",
    keys: bearerKeys,
    body: "none",
    summary: "Get the version of Ollama that is emulated.",
  },
} as const satisfies Record<string, Endpoint>;

const moneyEndpoint = { method: "GET", area: "text", errors: "common", keys: bearerKeys, body: "none" } as const;

/** Endpoints for the spent and the remaining money of a key or its account, in the formats of other gateways. */
export const moneyEndpoints = {
  billingSubscription: {
    ...moneyEndpoint,
    path: "/v1/dashboard/billing/subscription",
    summary: "Get the key's spending limit in US dollars, which is the spent plus the remaining amount.",
  },
  billingUsage: {
    ...moneyEndpoint,
    path: "/v1/dashboard/billing/usage",
    summary: "Get the account's total spending, in US cents.",
  },
  credits: { ...moneyEndpoint, path: "/v1/credits", summary: "Get the account's credits and usage, in US dollars." },
  currentKey: {
    ...moneyEndpoint,
    path: "/v1/key",
    summary: "Get the key: remaining amount in US dollars, and expiry.",
  },
} as const satisfies Record<string, Endpoint>;
