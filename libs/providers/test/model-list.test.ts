import { expect, test } from "vitest";
import { modelListRequest, parseModels, providers } from "../src/index.ts";

test.each([
  ["OpenAI", { object: "list", data: [{ id: "gpt-5" }, { id: "gpt-5" }] }, ["gpt-5"]],
  ["Together", [{ id: "a/b", type: "chat" }], ["a/b"]],
  ["Gemini", { models: [{ name: "models/gemini-2.5-pro" }] }, ["gemini-2.5-pro"]],
  ["Cloudflare", { success: true, result: [{ id: "f0-1", name: "@cf/meta/llama" }] }, ["@cf/meta/llama"]],
  ["Databricks", { endpoints: [{ name: "databricks-gte" }] }, ["databricks-gte"]],
  ["a vendor with invalid names", { data: [{ id: "" }, { id: " x" }, { id: 7 }, "m", { id: "y" }] }, ["y"]],
  ["an error", { error: { message: "no" } }, undefined],
])("the list of %s is read", (_vendor, list, models) => {
  expect(parseModels(list)?.map(({ name }) => name)).toEqual(models);
});

test("an aggregator's prices per token are read as dollars per million", () => {
  const pricing = { prompt: "0.0000025", completion: "0.00001", input_cache_read: "0" };
  expect(parseModels({ data: [{ id: "m", pricing, context_length: 128_000 }, { id: "n" }] })).toEqual([
    { name: "m", price: { input: 2.5, output: 10 }, contextTokens: 128_000 },
    { name: "n", price: null, contextTokens: null },
  ]);
});

test.each([
  ["openai", "https://api.openai.com/v1/models"],
  ["github-models", "https://models.github.ai/catalog/models"],
  ["anthropic", "https://api.anthropic.com/v1/models?limit=1000"],
  ["gemini", "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000"],
  ["perplexity", undefined],
])("%s is listed at %s", (name, address) => {
  const provider = providers[name];
  const request = provider && modelListRequest(provider, { baseUrl: provider.baseUrl ?? "", key: "k", nowMs: 0 });
  expect(request?.url.href).toBe(address);
  if (request !== undefined) expect(request).toMatchObject({ method: "GET", headers: { accept: "application/json" } });
});

test("a base URL that ends in a version is not given another one for the list", () => {
  const { anthropic } = providers;
  const request = anthropic && modelListRequest(anthropic, { baseUrl: "https://proxy.test/v1/", key: "k", nowMs: 0 });
  expect(request?.url.pathname).toBe("/v1/models");
});
