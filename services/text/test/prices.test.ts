import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageEvent, Units } from "@modelgate/contracts";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { startReportingVendor, type Report, type ReportingVendor } from "./reporting-vendor.ts";

/** Key for the tests of every kind of price. */
const key = "sk-demo-0123456789abcdef";
const price = {
  input: 3,
  cachedInput: 0.3,
  cacheWrite: 3.75,
  cacheWrite1h: 6,
  output: 15,
  inputAudio: 32,
  outputAudio: 64,
  inputImage: 10,
  outputImage: 40,
  request: 0.000001,
  tiers: [{ above: 500, input: 6, cachedInput: 0.6, cacheWrite: 7.5, cacheWrite1h: 12, output: 22.5 }],
  serviceTiers: { flex: 0.5, batch: 0.5, priority: 2 },
  tools: { webSearch: 0.01 },
};
const requestNanos = 1_000;
type Wire = "chat" | "messages" | "content";

let vendor: ReportingVendor;
let area: Area;
beforeAll(async () => {
  vendor = await startReportingVendor();
  const channels = { chat: "openai", messages: "anthropic", content: "gemini" } as const;
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        ...Object.fromEntries(Object.keys(channels).map((name) => [name, { kind: "chat", price }])),
        near: { kind: "chat", price: { input: 3, output: 15, cacheWrite: 3.75 } },
      },
      channels: Object.entries(channels).map(([id, provider]) => ({
        id,
        provider,
        baseUrl: id === "chat" ? `${vendor.url}/v1` : vendor.url,
        keys: ["key"],
        models: id === "messages" ? [id, "near"] : [id],
        wires: [id],
      })),
      accounts: { demo: { balance: "100.00", tokens: [{ key, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const paths: Readonly<Record<Wire, (model: string, stream: boolean) => string>> = {
  chat: () => "/v1/chat/completions",
  messages: () => "/v1/messages",
  content: (model, stream) => `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
};
/** Prompt whose length fits the number of input tokens that the vendor reports. */
const text = "word ".repeat(600);
const turn = { role: "user", content: text };
const bodies: Readonly<Record<Wire, (model: string, stream: boolean) => object>> = {
  chat: (model, stream) => ({ model, stream, max_tokens: 100, messages: [turn] }),
  messages: (model, stream) => ({ model, stream, max_tokens: 100, messages: [turn] }),
  content: () => ({ contents: [{ role: "user", parts: [{ text }] }], generationConfig: { maxOutputTokens: 100 } }),
};

let calls = 0;
async function call(wire: Wire, model: string, { stream = false, more = {}, disconnects = false }) {
  const requestId = `prices-${++calls}`;
  const leaving = new AbortController();
  const answer = await fetch(area.url + paths[wire](model, stream), {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-request-id": requestId,
    },
    body: JSON.stringify({ ...bodies[wire](model, stream), ...more }),
    signal: leaving.signal,
  });
  if (disconnects) {
    let receivedText = "";
    for await (const chunk of answer.body ?? []) {
      receivedText += Buffer.from(chunk).toString();
      if (receivedText.includes("Found it")) break;
    }
    leaving.abort();
    await until("the vendor to be stopped", () => vendor.open === 0);
  } else expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  return area.eventOf(requestId);
}

const written = (short: number, long: number) => ({
  cache_creation_input_tokens: short + long,
  cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
});
const cached = { input_tokens: 100, cache_read_input_tokens: 50, ...written(20, 40), output_tokens: 10 };
const cachedUnits = { inputTokens: 100, cachedInputTokens: 50, cacheWriteTokens: 20, cacheWrite1hTokens: 40 };
const cachedInputNanos = 300_000 + 15_000 + 75_000 + 240_000;
const cachedNanos = cachedInputNanos + 150_000;
/** Usage with one input token more than the limit of the usual price. */
const long = { input_tokens: 400, cache_read_input_tokens: 50, ...written(21, 30), output_tokens: 10 };
const longUnits = { inputTokens: 400, cachedInputTokens: 50, cacheWriteTokens: 21, cacheWrite1hTokens: 30 };
const longInputNanos = 2_400_000 + 30_000 + 157_500 + 360_000;
const chatSounds = {
  prompt_tokens: 100,
  completion_tokens: 40,
  total_tokens: 140,
  prompt_tokens_details: { cached_tokens: 20, audio_tokens: 30, image_tokens: 10 },
  completion_tokens_details: { audio_tokens: 15, image_tokens: 8, reasoning_tokens: 5 },
};
const contentSounds = {
  promptTokenCount: 100,
  cachedContentTokenCount: 20,
  candidatesTokenCount: 23,
  thoughtsTokenCount: 17,
  totalTokenCount: 140,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 60 },
    { modality: "AUDIO", tokenCount: 30 },
    { modality: "IMAGE", tokenCount: 10 },
  ],
  candidatesTokensDetails: [
    { modality: "AUDIO", tokenCount: 15 },
    { modality: "IMAGE", tokenCount: 8 },
  ],
};
const soundUnits = {
  inputTokens: 40,
  cachedInputTokens: 20,
  outputTokens: 17,
  inputAudioTokens: 30,
  outputAudioTokens: 15,
  inputImageTokens: 10,
  outputImageTokens: 8,
};
const soundNanos = 120_000 + 6_000 + 255_000 + 960_000 + 960_000 + 100_000 + 320_000;

interface Case {
  readonly name: string;
  readonly wire: Wire;
  readonly report: Report;
  readonly units: Units;
  readonly nanos: number;
  readonly tier?: string;
  readonly more?: object;
}
const search = { tools: [{ type: "web_search_20250305", name: "web_search" }] };
const cases: readonly Case[] = [
  {
    name: "cache reads, and writes of five minutes and of an hour",
    wire: "messages",
    report: { usage: cached },
    units: { ...cachedUnits, outputTokens: 10 },
    nanos: cachedNanos + requestNanos,
  },
  {
    name: "a call at the maximum length of the usual price",
    wire: "messages",
    report: { usage: { ...long, input_tokens: 399 } },
    units: { ...longUnits, inputTokens: 399, outputTokens: 10 },
    nanos: 1_197_000 + 15_000 + 78_750 + 180_000 + 150_000 + requestNanos,
  },
  {
    name: "a call that is one token longer, completely",
    wire: "messages",
    report: { usage: long },
    units: { ...longUnits, outputTokens: 10 },
    nanos: longInputNanos + 225_000 + requestNanos,
  },
  {
    name: "audio and image tokens of chat",
    wire: "chat",
    report: { usage: chatSounds },
    units: { ...soundUnits, reasoningTokens: 5 },
    nanos: soundNanos + requestNanos,
  },
  {
    name: "audio and image tokens of content",
    wire: "content",
    report: { usage: contentSounds },
    units: { ...soundUnits, reasoningTokens: 17 },
    nanos: soundNanos + requestNanos,
  },
  {
    name: "a vendor's batch tier",
    wire: "messages",
    report: { usage: { ...cached, service_tier: "batch" } },
    units: { ...cachedUnits, outputTokens: 10 },
    nanos: (cachedNanos + requestNanos) / 2,
    tier: "batch",
  },
  {
    name: "the flex tier of content, with all its kinds of tokens",
    wire: "content",
    report: { usage: contentSounds, tier: "ON_DEMAND_FLEX" },
    units: { ...soundUnits, reasoningTokens: 17 },
    nanos: (soundNanos + requestNanos) / 2,
    tier: "flex",
  },
  {
    name: "the priority tier of chat, with all its kinds of tokens",
    wire: "chat",
    report: { usage: chatSounds, tier: "priority" },
    units: { ...soundUnits, reasoningTokens: 5 },
    nanos: (soundNanos + requestNanos) * 2,
    tier: "priority",
    more: { service_tier: "priority" },
  },
  {
    name: "a long call of the priority tier with searches, which cost the same at every tier",
    wire: "messages",
    report: { usage: { ...long, service_tier: "priority", server_tool_use: { web_search_requests: 2 } } },
    units: { ...longUnits, outputTokens: 10, webSearches: 2 },
    nanos: (longInputNanos + 225_000 + requestNanos) * 2 + 20_000_000,
    tier: "priority",
    more: search,
  },
];

describe.each([false, true])("streamed: %s", (stream) => {
  test.each(cases)("$name: exact to the token", async ({ wire, report, units, nanos, tier, more }) => {
    vendor.report(report);
    const event = await call(wire, wire, { stream, more });
    expect(event.units).toEqual({ ...units, requests: 1 });
    expect(event).toMatchObject({ costNanos: String(nanos), outcome: "completed", estimated: false });
    expect([event.serviceTier, event.unpriced]).toEqual([tier, undefined]);
  });

  test("a one-hour cache write without its own price costs the same as other writes", async () => {
    vendor.report({ usage: cached });
    const event = await call("messages", "near", { stream });
    expect(event.costNanos).toBe(String(300_000 + 150_000 + 60 * 3_750 + 150_000));
  });
});

describe("a stream whose client disconnects", () => {
  /** Returns the cost of the text that the client received. */
  const wordsOf = ({ units: { outputTokens = 0 } }: UsageEvent, each: number): number => {
    expect(outputTokens).toBeGreaterThan(0);
    expect(outputTokens).toBeLessThan(100);
    return outputTokens * each;
  };

  test.each([
    { name: "with caches", usage: cached, units: cachedUnits, input: cachedInputNanos, output: 15_000 },
    { name: "of a long call", usage: long, units: longUnits, input: longInputNanos, output: 22_500 },
  ])("$name pays for the reported input and the received text", async ({ usage, units, input, output }) => {
    vendor.report({ usage, silentAfterWords: { searches: false } });
    const event = await call("messages", "messages", { stream: true, disconnects: true });
    expect(event).toMatchObject({ outcome: "cancelled", units });
    expect(event.costNanos).toBe(String(input + wordsOf(event, output) + requestNanos));
  });

  test("with a search pays for the search", async () => {
    vendor.report({ usage: cached, silentAfterWords: { searches: true } });
    const event = await call("messages", "messages", { stream: true, disconnects: true, more: search });
    expect(event).toMatchObject({ outcome: "cancelled", units: { ...cachedUnits, webSearches: 1 } });
    expect(event.costNanos).toBe(String(cachedInputNanos + wordsOf(event, 15_000) + requestNanos + 10_000_000));
  });

  test.each([
    ["pays the factor of a more expensive tier", "priority", 2],
    ["pays the usual price at a cheaper tier, which the vendor confirms with its usage", "flex", 1],
  ])("%s", async (_, tier, times) => {
    vendor.report({ usage: {}, tier, silentAfterWords: { searches: false } });
    const event = await call("chat", "chat", { stream: true, disconnects: true, more: { service_tier: tier } });
    const { inputTokens = 0 } = event.units;
    expect(event).toMatchObject({ outcome: "cancelled", estimated: true });
    expect(inputTokens).toBeGreaterThan(500);
    // Six hundred words exceed the limit of the usual price.
    expect(event.costNanos).toBe(String((inputTokens * 6_000 + wordsOf(event, 22_500) + requestNanos) * times));
  });
});

test("at the end nothing is held, and every settlement has an event", async () => {
  expect(await area.settled("demo")).toMatchObject({ heldNanos: 0n });
});
