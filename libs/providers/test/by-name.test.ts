import { expect, test } from "vitest";
import type { UpstreamWire } from "@modelgate/contracts";
import { runToEnd } from "@modelgate/formats/json";
import { chatWireForDialect } from "@modelgate/wires/text";
import { vendorOfRow } from "../src/by-name/vendor.ts";
import { providers } from "../src/index.ts";
import { byUniqueName } from "../src/provider.ts";

const call = { act: "answer", key: "k", nowMs: 0, model: "m", stream: false, body: Buffer.from("{}") } as const;

test.each<[string, UpstreamWire, string]>([
  ["groq", "chat", "https://api.groq.com/openai/v1/chat/completions"],
  ["deepseek", "messages", "https://api.deepseek.com/anthropic/v1/messages"],
  ["moonshot", "count-messages", "https://api.moonshot.ai/anthropic/v1/messages/count_tokens"],
  ["zhipu", "messages", "https://api.z.ai/api/anthropic/v1/messages"],
  ["openrouter", "messages", "https://openrouter.ai/api/v1/messages"],
  ["fireworks", "chat", "https://api.fireworks.ai/inference/v1/chat/completions"],
  ["ollama", "embeddings", "http://127.0.0.1:11434/v1/embeddings"],
  ["together", "jina-rerank", "https://api.together.xyz/v1/rerank"],
])("%s by its default address supports %s at %s", (name, wire, address) => {
  const baseUrl = providers[name]?.baseUrl ?? "";
  expect(providers[name]?.request({ ...call, baseUrl, wire }).url.href).toBe(address);
});

test("the messages wire of a row has the key in both headers", () => {
  const request = providers["deepseek"]?.request({ ...call, baseUrl: "https://v.example", wire: "messages" });
  expect(request?.headers).toMatchObject({
    authorization: "Bearer k",
    "x-api-key": "k",
    "anthropic-version": "2023-06-01",
  });
});

test.each(Object.values(providers).filter(({ baseUrl }) => baseUrl !== undefined))(
  "$name is a complete channel with a key: it has an address and a variable",
  ({ baseUrl = "", keyVariable = "", defaultKey }) => {
    expect(URL.canParse(baseUrl.replace(/^\$\{\w+\}/, "https://v.example").replaceAll(/\$\{\w+\}/g, "x"))).toBe(true);
    expect(defaultKey ?? keyVariable).toMatch(defaultKey === undefined ? /^[A-Z][A-Z0-9_]+$/ : /^[a-z]+$/);
  },
);

/** Vendors that a channel must be able to name. */
const knownVendors =
  "mistral deepseek groq xai together fireworks openrouter perplexity cerebras sambanova nvidia huggingface github-models " +
  "cloudflare databricks snowflake moonshot zhipu minimax siliconflow volcengine baidu hunyuan stepfun ollama vllm sglang " +
  "lmstudio llamacpp litellm modelgate";

test.each(knownVendors.split(" "))("%s is a known vendor with at least one text wire", (name) => {
  expect(providers[name]).toMatchObject({ name, wires: expect.arrayContaining(["chat"]) });
});

test.each([
  ["mistral", { prompt_cache_key: "k" }],
  ["groq", {}],
  ["cerebras", {}],
  ["nvidia", {}],
])("%s gets only the hints about caching that it accepts: %j", (name, accepted) => {
  const hints = { prompt_cache_key: "k", prompt_cache_retention: "24h", safety_identifier: "u" };
  const { pass } = chatWireForDialect(providers[name]?.dialect ?? {});
  const fit = pass?.fit?.(Buffer.from(JSON.stringify(hints)), { model: "m", foreignItems: new Set() });
  expect(JSON.parse(String((fit && runToEnd(fit))?.body))).toEqual(accepted);
});

test("two vendors with one name are an error, in either order", () => {
  const row = { title: "One", baseUrl: "https://one.example", keyVariable: "ONE", wires: ["chat"], docs: "" } as const;
  const [one, other] = [vendorOfRow("one", row), vendorOfRow("one", { ...row, title: "Other" })];
  expect(() => byUniqueName([one, other])).toThrow("two vendors are named one");
  expect(() => byUniqueName([other, one])).toThrow("two vendors are named one");
});
