import { expect, test } from "vitest";
import { stringify } from "yaml";
import { completeConfiguration } from "../../src/configuration/complete.ts";
import { parseConfiguration } from "../../src/configuration/read.ts";
import { resolveChannels } from "../../src/configuration/resolve.ts";
import { warningsOf } from "../../src/configuration/warnings.ts";

const nowMs = Date.parse("2026-10-01T12:00:00Z");
const groq = { id: "groq", provider: "groq", keys: ["k"] };

async function completed(models: object, channels: readonly object[], lists: Readonly<Record<string, string[]>> = {}) {
  const { configuration, problems } = parseConfiguration(
    stringify({ groups: { default: { models: ["*"] } }, models, channels }),
  );
  if (configuration === undefined) throw new Error(JSON.stringify(problems));
  const resolved = await resolveChannels(configuration, {});
  const complete = completeConfiguration(configuration, resolved, { lists: new Map(Object.entries(lists)), nowMs });
  return { ...complete, warnings: warningsOf(configuration, complete) };
}

const known = { input: 0.075, cachedInput: 0.0375, output: 0.3 };
const origin = { catalogue: "@pydantic/genai-prices 0.1.8", entry: "groq/openai/gpt-oss-20b", day: "2026-09-23" };

test.each<[string, object, object | undefined, object | undefined]>([
  ["without a price has the catalogue's price", {}, known, origin],
  ["with the price auto has the catalogue's price", { price: "auto" }, known, origin],
  ["with a configured price has that price", { price: { input: 9 } }, { input: 9 }, undefined],
])("a known model %s", async (_name, more, price, priceOrigin) => {
  const { models, warnings } = await completed({ fast: { kind: "chat", ...more } }, [
    { ...groq, models: { fast: "openai/gpt-oss-20b" } },
  ]);
  expect(models["fast"]).toMatchObject({ price, ...(priceOrigin === undefined ? {} : { priceOrigin }) });
  expect(models["fast"]?.priceOrigin).toEqual(priceOrigin);
  expect(warnings.filter(({ path }) => path === "models.fast.price")).toEqual([]);
});

test("a vendor's tool that is missing in a configured price costs the vendor's published price", async () => {
  const channel = { id: "openai", provider: "openai", keys: ["k"] };
  const { models } = await completed(
    {
      written: { kind: "chat", price: { input: 9 } },
      named: { kind: "chat", price: { input: 9, tools: { webSearch: 0.5 } } },
      unknown: { kind: "chat", price: { input: 9 } },
    },
    [{ ...channel, models: { written: "gpt-5-mini", named: "gpt-5-mini", unknown: "of-nobody" } }],
  );
  expect(models["written"]?.price).toEqual({ input: 9, tools: { webSearch: 0.01, fileSearch: 0.0025 } });
  expect(models["named"]?.price?.tools).toEqual({ webSearch: 0.5, fileSearch: 0.0025 });
  expect(models["unknown"]?.price).toEqual({ input: 9 });
});

test("an unknown model costs nothing, which a warning reports", async () => {
  const { models, warnings } = await completed({ own: { kind: "chat", price: "auto" } }, [
    { ...groq, models: ["own"] },
  ]);
  expect(models["own"]?.price).toBeUndefined();
  expect(warnings).toContainEqual({ path: "models.own.price", message: expect.stringContaining("cost nothing") });
});

test("the price is that of the first channel with a known vendor price, and each channel has its price for comparison", async () => {
  const channel = { keys: ["k"], models: { fast: "openai/gpt-oss-20b" } };
  const { models, channels } = await completed({ fast: { kind: "chat" } }, [
    { ...channel, id: "low", provider: "groq", priority: -1 },
    { ...channel, id: "unknown", provider: "nvidia", priority: 2 },
    { ...channel, id: "high", provider: "openrouter", priority: 1 },
    { ...channel, id: "home", provider: "vllm", priority: -2 },
  ]);
  expect(models["fast"]?.priceOrigin?.entry).toBe("openrouter/openai/gpt-oss-20b");
  expect(channels.map(({ costs }) => costs?.["fast"])).toEqual([
    expect.closeTo(0.525),
    undefined,
    expect.any(Number),
    0,
  ]);
});

test("a vendor's list does not replace a model of the configuration or of another vendor", async () => {
  const everything = { models: "*" as const, keys: ["k"] };
  const { models, channels, warnings } = await completed(
    {
      "demo-chat": { kind: "chat", price: { input: 1 } },
      safe: { kind: "chat", fallbacks: ["demo-chat"] },
      split: { kind: "chat", shares: { "demo-chat": 1 } },
      priced: { kind: "chat", price: { input: 7 } },
      "qwen3:8b": { kind: "chat" },
    },
    [
      { ...everything, id: "first", provider: "ollama" },
      { ...everything, id: "second", provider: "vllm", baseUrl: "http://elsewhere:8000/v1" },
      { ...everything, id: "same-vendor", provider: "vllm", baseUrl: "http://elsewhere:8000/v2" },
      { id: "demo", provider: "groq", keys: ["k"], models: { "demo-chat": "llama" } },
      { id: "named", provider: "vllm", baseUrl: "http://elsewhere:8000/v1", keys: ["k"], models: ["qwen3:8b"] },
    ],
    {
      first: ["qwen3:8b", "gemma", "priced", "demo-chat"],
      second: ["gemma", "phi", "safe", "split"],
      "same-vendor": ["phi", "demo-chat"],
    },
  );
  expect(
    Object.fromEntries(channels.map(({ configuration, ...channel }) => [configuration.id, channel.models])),
  ).toEqual({
    first: ["gemma", "priced"],
    second: ["phi"],
    "same-vendor": ["phi"],
    demo: { "demo-chat": "llama" },
    named: ["qwen3:8b"],
  });
  expect(models["demo-chat"]?.price).toEqual({ input: 1 });
  expect(warnings).toContainEqual({
    path: "channels[1].models",
    message:
      "does not serve gemma, safe, split: other channels already do, so this channel must name what it also serves",
  });
});

test("a channel for all models serves its vendor's list, with prices, each model with its kind", async () => {
  const { models, channels } = await completed(
    { "openai/gpt-oss-120b": { kind: "chat", price: { input: 7 } } },
    [
      { ...groq, models: "*" },
      { id: "home", provider: "ollama", models: "*" },
    ],
    {
      groq: ["openai/gpt-oss-20b", "openai/gpt-oss-120b", "whisper-large-v3", "flux-schnell", "brand-new"],
      home: ["qwen3:8b", "nomic-embed-text"],
    },
  );
  expect(channels.map((channel) => channel.models)).toEqual([
    // Without "flux-schnell", because the vendor has no wire for images.
    ["openai/gpt-oss-20b", "openai/gpt-oss-120b", "whisper-large-v3", "brand-new"],
    ["qwen3:8b", "nomic-embed-text"],
  ]);
  expect(models).toMatchObject({
    "openai/gpt-oss-20b": { kind: "chat", price: known },
    "openai/gpt-oss-120b": { kind: "chat", price: { input: 7 } },
    "whisper-large-v3": { kind: "transcription", price: { second: 0.000030833334 } },
    "brand-new": { kind: "chat", isUnpriced: true },
    "qwen3:8b": { kind: "chat", price: {} },
    "nomic-embed-text": { kind: "embedding", price: {} },
  });
  expect(models["qwen3:8b"]?.isUnpriced).toBeUndefined();
});
