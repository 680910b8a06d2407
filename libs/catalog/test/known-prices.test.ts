import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compilePrice, costOf } from "@modelgate/contracts";
import { knownPrice, priceCatalogue } from "../src/known-prices.ts";

const now = Date.parse("2026-10-01T12:00:00Z");

test("the catalogue's date is the date of its version", () => {
  const entry = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
  const manifest: { version: string } = JSON.parse(readFileSync(join(entry, "../../package.json"), "utf8"));
  expect(manifest.version, "a new version has a new day: look it up in the registry").toBe(priceCatalogue.version);
});

test.each([
  [
    "groq",
    "openai/gpt-oss-20b",
    {
      price: { input: 0.075, cachedInput: 0.0375, output: 0.3 },
      entry: "groq/openai/gpt-oss-20b",
      contextTokens: 131_072,
    },
  ],
  [
    "openai",
    "gpt-5-mini",
    {
      price: { input: 0.25, cachedInput: 0.025, output: 2, tools: { webSearch: 0.01, fileSearch: 0.0025 } },
      entry: "openai/gpt-5-mini",
      contextTokens: 400_000,
    },
  ],
  [
    "anthropic",
    "claude-sonnet-4-5",
    {
      price: {
        input: 3,
        cachedInput: 0.3,
        cacheWrite: 3.75,
        cacheWrite1h: 6,
        output: 15,
        tiers: [{ above: 200_000, input: 6, cachedInput: 0.6, cacheWrite: 7.5, cacheWrite1h: 12, output: 22.5 }],
        tools: { webSearch: 0.01 },
      },
      entry: "anthropic/claude-sonnet-4-5",
      contextTokens: 200_000,
    },
  ],
  [
    "perplexity",
    "sonar",
    { price: { input: 1, output: 1, request: 0.012 }, entry: "perplexity/sonar", contextTokens: 128_000 },
  ],
  ["groq", "whisper-large-v3", { price: { second: 0.000030833334 }, entry: "groq/whisper-large-v3" }],
  ["openai", "no-such-model", undefined],
  ["no-such-vendor", "gpt-5-mini", undefined],
])("%s charges for %s the catalogue's price, in the gateway's units", (vendor, model, known) => {
  expect(knownPrice(vendor, model, now)).toEqual(known);
});

test.each([
  ["openai", "gpt-6-sol", 2.5, 5, 10],
  ["aws", "us.anthropic.claude-opus-4-5-v1:0", 6.875, 11, undefined],
  ["minimax", "MiniMax-M2", 0.375, undefined, undefined],
])(
  "%s charges for writes of %s to a cache: %s, %s if it is kept for hours, %s then of a long input",
  (vendor, model, ...due) => {
    const { cacheWrite, cacheWrite1h, tiers } = knownPrice(vendor, model, now)?.price ?? {};
    expect([cacheWrite, cacheWrite1h, tiers?.[0]?.cacheWrite1h]).toEqual(due);
  },
);

test("a model that is cheaper at some hours has the price of the other hours", () => {
  const peakPrice = knownPrice("deepseek", "deepseek-chat", now)?.price;
  for (const hour of [0, 4, 8, 17, 20])
    expect(knownPrice("deepseek", "deepseek-chat", now + hour * 3_600_000)?.price).toEqual(peakPrice);
  expect(peakPrice?.input).toBe(0.27);
});

test("every price that is read from the catalogue is an exact amount", () => {
  const price = knownPrice("anthropic", "claude-sonnet-4-5", now)?.price ?? {};
  expect(costOf({ inputTokens: 200_001, outputTokens: 1 }, compilePrice(price), 1)).toBe(1_200_028_500n);
});
