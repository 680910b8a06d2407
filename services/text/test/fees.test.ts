import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScriptedServer } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { startPayingVendor } from "./paying-vendor.ts";

/** Client keys, one for each value of a group's `unpriced`; `usual` has the default. */
const keys = {
  strict: "sk-strict-0123456789abcdef",
  open: "sk-open-0123456789abcdef",
  usual: "sk-usual-0123456789abcdef",
} as const;

const tokens = { input: 1, cachedInput: 1, output: 10 };
/** Cost of ten input and five output tokens, in nano-dollars. */
const tokenNanos = 60_000;
const price = {
  ...tokens,
  serviceTiers: { flex: 0.5, priority: 2, fast: 6 },
  tools: { webSearch: 0.01, codeInterpreter: 0.03, fileSearch: 0.0025, imageGeneration: 0.04 },
};

let area: Area;
let vendor: ScriptedServer;
beforeAll(async () => {
  vendor = await startPayingVendor();
  const wires = ["chat", "responses", "messages", "content"] as const;
  area = await startArea(service, {
    config: {
      groups: {
        strict: { models: ["*"], unpriced: "refuse" },
        open: { models: ["*"], unpriced: "pass" },
        usual: { models: ["*"] },
      },
      models: {
        ...Object.fromEntries(
          wires.flatMap((wire) => [
            [`${wire}-priced`, { kind: "chat", price }],
            [`${wire}-bare`, { kind: "chat", price: tokens }],
          ]),
        ),
        long: { kind: "chat", price: { ...tokens, tiers: [{ above: 9, input: 2, output: 20 }] } },
        ranked: { kind: "rerank", price: { request: 0.002 } },
        "counted-ranked": { kind: "rerank", price: { request: 0.002 } },
        draw: { kind: "image", price: { image: 0.04 } },
      },
      channels: [
        ...wires.map((wire) => ({
          id: wire,
          provider: wire === "messages" ? "anthropic" : wire === "content" ? "gemini" : "openai",
          baseUrl: wire === "chat" || wire === "responses" ? `${vendor.url}/v1` : vendor.url,
          keys: ["key"],
          models: [`${wire}-priced`, `${wire}-bare`, ...(wire === "chat" ? ["long"] : [])],
          wires: [wire],
        })),
        {
          id: "ranks",
          provider: "jina",
          baseUrl: `${vendor.url}/v1`,
          keys: ["key"],
          models: ["ranked", "counted-ranked"],
        },
        { id: "draws", provider: "openai", baseUrl: `${vendor.url}/v1`, keys: ["key"], models: ["draw"] },
      ],
      accounts: {
        demo: {
          balance: "100.00",
          tokens: [
            { key: keys.strict, group: "strict" },
            { key: keys.open, group: "open" },
            { key: keys.usual, group: "usual" },
          ],
        },
        poor: { balance: "0.05", tokens: [{ key: "sk-poor-0123456789abcdef", group: "strict" }] },
      },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

type Wire = "chat" | "responses" | "messages" | "content";

const paths: Readonly<Record<Wire, (model: string, stream: boolean) => string>> = {
  chat: () => "/v1/chat/completions",
  responses: () => "/v1/responses",
  messages: () => "/v1/messages",
  content: (model, stream) => `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
};

const bodies: Readonly<Record<Wire, (model: string, stream: boolean) => object>> = {
  chat: (model, stream) => ({ model, stream, max_tokens: 5, messages: [{ role: "user", content: "Go" }] }),
  responses: (model, stream) => ({ model, stream, max_output_tokens: 16, input: "Go" }),
  messages: (model, stream) => ({ model, stream, max_tokens: 5, messages: [{ role: "user", content: "Go" }] }),
  content: () => ({ contents: [{ role: "user", parts: [{ text: "Go" }] }] }),
};

const lastBody = (): unknown => JSON.parse(vendor.requests.at(-1)?.body ?? "{}");

let calls = 0;
/** Sends a call in a client's wire. Returns the answer and its request id. */
async function call(
  wire: Wire,
  model: string,
  more: object,
  how: { readonly stream?: boolean; readonly key?: string; readonly strict?: boolean } = {},
) {
  const { stream = false, key = keys.strict, strict = false } = how;
  const requestId = `fees-${++calls}`;
  const answer = await fetch(area.url + paths[wire](model, stream), {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-request-id": requestId,
      ...(strict ? { "x-modelgate-strict": "true" } : {}),
    },
    body: JSON.stringify({ ...bodies[wire](model, stream), ...more }),
  });
  const dropped = answer.headers.get("x-modelgate-dropped");
  return { status: answer.status, text: await answer.text(), requestId, dropped };
}

const eventOf = (requestId: string) => area.eventOf(requestId);

const search = { webSearches: 2 };
const code = { codeInterpreters: 1 };
/** Tools: wire, members that request the tool, reported path, units, and their cost in nano-dollars. */
const tools: readonly (readonly [Wire, object, string, object, number])[] = [
  ["chat", { search_parameters: { mode: "on" } }, "search_parameters", search, 20_000_000],
  ["chat", { web_search_options: {} }, "web_search_options", { webSearches: 1 }, 10_000_000],
  ["responses", { tools: [{ type: "web_search" }] }, "tools[0]", search, 20_000_000],
  ["responses", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }, "tools[0]", code, 30_000_000],
  ["responses", { tools: [{ type: "file_search" }] }, "tools[0]", { fileSearches: 1 }, 2_500_000],
  [
    "responses",
    { tools: [{ type: "image_generation", model: "draw" }] },
    "tools[0]",
    { imageGenerations: 1 },
    40_000_000,
  ],
  ["messages", { tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools[0]", search, 20_000_000],
  ["messages", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }, "tools[0]", code, 30_000_000],
  ["content", { tools: [{ googleSearch: {} }] }, "tools[0].googleSearch", search, 20_000_000],
  ["content", { tools: [{ fileSearch: {} }] }, "tools[0].fileSearch", { fileSearches: 1 }, 2_500_000],
];

/** Members by which a client names further models to the vendor. */
const models: readonly (readonly [Wire, object, string])[] = [
  ["chat", { models: ["dear"], route: "fallback" }, "models, route"],
  [
    "chat",
    { fallbacks: ["dear"], context_window_fallbacks: [{ "chat-priced": ["dear"] }] },
    "context_window_fallbacks, fallbacks",
  ],
  ["responses", { models: ["dear"], content_policy_fallbacks: [{ m: ["dear"] }] }, "content_policy_fallbacks, models"],
  ["messages", { models: ["dear"] }, "models"],
  ["messages", { fallbacks: ["dear"] }, "fallbacks"],
];

test.each(models)(
  "%s %j never reaches the vendor, because the gateway chooses the model",
  async (wire, more, names) => {
    for (const key of [keys.usual, keys.open]) {
      const { status, dropped } = await call(wire, `${wire}-priced`, more, { key });
      expect([status, dropped?.split(", ").toSorted().join(", ")]).toEqual([200, names]);
      for (const name of Object.keys(more)) expect(lastBody()).not.toHaveProperty(name);
      expect((await call(wire, `${wire}-priced`, more, { key, strict: true })).status).toBe(400);
    }
    const { status, text } = await call(wire, `${wire}-priced`, more);
    expect([status, text]).toEqual([400, expect.stringContaining("only the gateway chooses the model")]);
  },
);

// A request is refused or changed before its answer is streamed.
test.each(tools)("%s %j without a price is refused with its path", async (wire, more, place) => {
  const { status, text } = await call(wire, `${wire}-bare`, more, {});
  expect(status).toBe(400);
  expect(text).toContain(place);
});

test.each(tools)(
  "%s %j without a price is dropped and named, unless the client is strict",
  async (wire, more, place) => {
    const usualOptions = { key: keys.usual };
    const { status, requestId, dropped } = await call(wire, `${wire}-bare`, more, usualOptions);
    expect([status, dropped]).toEqual([200, place]);
    const event = await eventOf(requestId);
    expect(event).toMatchObject({ costNanos: String(tokenNanos), dropped: [place] });
    expect(event.unpriced).toBeUndefined();
    const refused = await call(wire, `${wire}-bare`, more, { ...usualOptions, strict: true });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(place)]);
  },
);

describe.each([false, true])("streamed: %s", (stream) => {
  test.each(tools)("%s %j with a price is charged as used", async (wire, more, _place, units, nanos) => {
    const { status, text, requestId } = await call(wire, `${wire}-priced`, more, { stream });
    expect([status, text]).toEqual([200, expect.any(String)]);
    const event = await eventOf(requestId);
    expect(event.units).toEqual({ inputTokens: 10, outputTokens: 5, requests: 1, ...units });
    expect(event).toMatchObject({ costNanos: String(tokenNanos + nanos), estimated: false });
    expect(event.unpriced).toBeUndefined();
  });

  test.each(tools)(
    "%s %j without a price passes if the group allows it, and is marked",
    async (wire, more, _place, units) => {
      const { status, requestId } = await call(wire, `${wire}-bare`, more, { stream, key: keys.open });
      expect(status).toBe(200);
      expect(await eventOf(requestId)).toMatchObject({
        units,
        costNanos: String(tokenNanos),
        unpriced: Object.keys(units),
      });
    },
  );

  const tiers: readonly (readonly [Wire, object, string, number])[] = [
    ["chat", { service_tier: "priority" }, "priority", 2],
    ["chat", { service_tier: "flex" }, "flex", 0.5],
    ["responses", { service_tier: "priority" }, "priority", 2],
    ["messages", { speed: "fast" }, "fast", 6],
    ["content", { serviceTier: "priority" }, "priority", 2],
  ];
  test.each(tiers)("%s %j is charged at the tier's factor", async (wire, more, serviceTier, factor) => {
    const { status, requestId } = await call(wire, `${wire}-priced`, more, { stream });
    expect(status).toBe(200);
    expect(await eventOf(requestId)).toMatchObject({ serviceTier, costNanos: String(tokenNanos * factor) });
  });

  test.each(tiers.filter(([, , , factor]) => factor > 1))(
    "%s %j without a factor is refused, dropped, or passes at the usual price and is marked",
    async (wire, more, serviceTier) => {
      const refused = await call(wire, `${wire}-bare`, more, { stream });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(Object.keys(more)[0]);
      const answer = await call(wire, `${wire}-bare`, more, { stream, key: keys.usual });
      expect([answer.status, answer.dropped]).toEqual([200, Object.keys(more)[0]]);
      expect(await eventOf(answer.requestId)).toMatchObject({ costNanos: String(tokenNanos) });
      const passed = await call(wire, `${wire}-bare`, more, { stream, key: keys.open });
      expect(passed.status).toBe(200);
      expect(await eventOf(passed.requestId)).toMatchObject({
        serviceTier,
        unpriced: ["serviceTier"],
        costNanos: String(tokenNanos),
      });
    },
  );

  test("a cheaper tier without a factor is served, at the usual price", async () => {
    const { status, requestId } = await call("chat", "chat-bare", { service_tier: "flex" }, { stream });
    expect(status).toBe(200);
    expect((await eventOf(requestId)).unpriced).toBeUndefined();
  });

  test("a call whose input exceeds the threshold of a price is charged the higher price completely", async () => {
    const { requestId } = await call("chat", "long", {}, { stream });
    expect(await eventOf(requestId)).toMatchObject({ costNanos: String(2 * tokenNanos) });
  });

  test("a search that is requested in one wire is charged if a vendor of another wire reports it", async () => {
    const { requestId } = await call("responses", "messages-priced", { tools: [{ type: "web_search" }] }, { stream });
    expect(await eventOf(requestId)).toMatchObject({ units: search, costNanos: String(tokenNanos + 20_000_000) });
    expect(lastBody()).toMatchObject({ tools: [{ type: "web_search_20250305", max_uses: 16 }] });
  });

  test("a search that the vendor's wire cannot express is dropped, not refused", async () => {
    const { status, requestId } = await call("responses", "chat-bare", { tools: [{ type: "web_search" }] }, { stream });
    expect(status).toBe(200);
    expect((await eventOf(requestId)).units).toEqual({ inputTokens: 10, outputTokens: 5, requests: 1 });
  });
});

test("fields that a chat model does not get with several prompts cost nothing, and reported charges are added", async () => {
  const answer = await fetch(`${area.url}/v1/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.strict}`,
      "content-type": "application/json",
      "x-request-id": "fees-prompts",
    },
    body: JSON.stringify({
      model: "chat-priced",
      prompt: ["a", "search the web", "search the web"],
      service_tier: "priority",
      web_search_options: {},
    }),
  });
  expect([answer.status, answer.headers.get("x-modelgate-dropped")]).toEqual([200, "service_tier, web_search_options"]);
  const event = await eventOf("fees-prompts");
  expect(event.units).toMatchObject({ inputTokens: 30, outputTokens: 15, webSearches: 4 });
  expect(event).toMatchObject({ costNanos: String(3 * tokenNanos + 40_000_000) });
});

test("tools are included in the hold, and the vendor gets their limit", async () => {
  const poorOptions = { key: "sk-poor-0123456789abcdef" };
  const tools = [{ type: "image_generation" }];
  expect((await call("responses", "responses-priced", { tools }, poorOptions)).status).toBe(402);
  expect((await call("responses", "responses-priced", { tools, max_tool_calls: 1 }, poorOptions)).status).toBe(200);
  expect(lastBody()).toMatchObject({ max_tool_calls: 1 });
  expect((await call("responses", "responses-priced", { tools })).status).toBe(200);
  expect(lastBody()).toMatchObject({ max_tool_calls: 16 });
});

test("the image tool uses models that the key may use, at a quality with a price", async () => {
  const other = await call("responses", "responses-priced", { tools: [{ type: "image_generation", model: "secret" }] });
  expect([other.status, other.text]).toEqual([404, expect.stringContaining("tools[0].model")]);
  const expensiveAnswer = await call("responses", "responses-priced", {
    tools: [{ type: "image_generation", quality: "high" }],
  });
  expect([expensiveAnswer.status, expensiveAnswer.text]).toEqual([400, expect.stringContaining("tools[0].quality")]);
  // On the responses wire, the output modality IMAGE is sent as the tool `image_generation`, which has no price here.
  const imageOutput = { generationConfig: { responseModalities: ["TEXT", "IMAGE"] } };
  expect((await call("content", "responses-bare", imageOutput)).status).toBe(400);
});

test("a tool that appears more than once is refused", async () => {
  const answer = await fetch(`${area.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.strict}`, "content-type": "application/json" },
    body: '{"model":"responses-bare","input":"Go","tools":[{"type":"web_search"}],"tools":[]}',
  });
  expect(answer.status).toBe(400);
});

test.each([
  ["ranked", 250, 3],
  ["ranked", 1, 1],
  ["counted-ranked", 250, 7],
])("%s: %i documents are %i searches", async (model, documents, searches) => {
  const requestId = `rank-${model}-${documents}`;
  const answer = await fetch(`${area.url}/v1/rerank`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.strict}`, "content-type": "application/json", "x-request-id": requestId },
    body: JSON.stringify({
      model,
      query: "fox",
      documents: Array.from({ length: documents }, (_, at) => `page ${at}`),
    }),
  });
  expect(answer.status).toBe(200);
  expect(await eventOf(requestId)).toMatchObject({
    units: { requests: searches },
    costNanos: String(2_000_000 * searches),
  });
});

test("at the end nothing is held, and every settlement has an event", async () => {
  for (const account of ["demo", "poor"]) expect(await area.settled(account)).toMatchObject({ heldNanos: 0n });
});
