import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readCappedUsage, switchChannel } from "@modelgate/channels";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { startGreedyVendor, type GreedyVendor } from "./greedy-vendor.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";

const tinyKey = "sk-tiny-0123456789abcdef";
const poorKey = "sk-poor-0123456789abcdef";
/** Price per token in nano-dollars. */
const price = { input: 1_000n, output: 10_000n };
const dollars = { input: 1, cachedInput: 1, output: 10 };
const question = "Tell me.";
const messages = [{ role: "user", content: question }];

/** Clients of each text wire: path, body, field that limits the output, and finish reason at the limit. */
const clients = [
  {
    wire: "chat",
    path: () => "/v1/chat/completions",
    body: { messages, stream_options: { include_usage: true } },
    bound: "max_tokens",
    length: '"finish_reason":"length"',
  },
  {
    wire: "completions",
    path: () => "/v1/completions",
    body: { prompt: question, stream_options: { include_usage: true } },
    bound: "max_tokens",
    length: '"finish_reason":"length"',
  },
  {
    wire: "responses",
    path: () => "/v1/responses",
    body: { input: question, store: false },
    bound: "max_output_tokens",
    length: '"reason":"max_output_tokens"',
  },
  {
    wire: "messages",
    path: () => "/v1/messages",
    body: { messages },
    bound: "max_tokens",
    length: '"stop_reason":"max_tokens"',
  },
  {
    wire: "content",
    path: (model: string, stream: boolean) =>
      `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ parts: [{ text: question }] }] },
    bound: "maxOutputTokens",
    length: '"finishReason":"MAX_TOKENS"',
  },
] as const;
type Client = (typeof clients)[number];

const vendorOf: Readonly<Record<Client["wire"], { provider: string; path: string; wires?: readonly string[] }>> = {
  chat: { provider: "openai", path: "/v1", wires: ["chat"] },
  completions: { provider: "openai", path: "/v1", wires: ["completions"] },
  responses: { provider: "openai", path: "/v1", wires: ["responses"] },
  messages: { provider: "anthropic", path: "" },
  content: { provider: "gemini", path: "" },
};
/**
 * Ways of forwarding. Client and vendor have the same wire and model name ("bytes"), the same wire ("patched"), or
 * different wires ("converted").
 */
const gears = ["bytes", "patched", "converted"] as const;
const cases = clients.flatMap((client) => gears.map((gear) => ({ client, gear, model: `${client.wire}-${gear}` })));

let vendor: GreedyVendor;
let area: Area;
beforeAll(async () => {
  vendor = await startGreedyVendor();
  const ways = cases.map(({ client, gear, model }) => {
    const { path, ...wire } =
      vendorOf[gear === "converted" ? (client.wire === "chat" ? "messages" : "chat") : client.wire];
    const models = { [model]: gear === "bytes" ? model : "vendor" };
    return { ...wire, id: model, baseUrl: vendor.url + path, keys: ["key"], models };
  });
  const plain = (id: string, provider: string, model: string) => ({
    id,
    provider,
    baseUrl: `${vendor.url}/v1`,
    keys: ["key"],
    models: { [model]: "vendor" },
  });
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        ...Object.fromEntries(
          cases.map(({ client, model }) => [
            model,
            { kind: client.wire === "completions" ? "completion" : "chat", price: dollars },
          ]),
        ),
        "gpt-5": { kind: "chat", price: dollars },
        vectors: { kind: "embedding", price: { input: 1 } },
        ranks: { kind: "rerank", price: { input: 1, request: 0.001 } },
      },
      channels: [
        ...ways,
        { ...plain("newest", "openai", "gpt-5"), models: ["gpt-5"], wires: ["chat"] },
        plain("vectors", "openai", "vectors"),
        plain("ranks", "jina", "ranks"),
      ],
      accounts: {
        demo: { balance: "1000", tokens: [{ key: keys.demo, group: "default" }] },
        tiny: { balance: "0.03", tokens: [{ key: tinyKey, group: "default" }] },
        poor: { balance: "0.05", tokens: [{ key: poorKey, group: "default" }] },
      },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});
beforeEach(() => vendor.behave({}));

/** Sends a call and reads its answer to the end. */
async function call(path: string, body: object | FormData, key: string = keys.demo) {
  const isForm = body instanceof FormData;
  const answer = await fetch(area.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "anthropic-version": "2023-06-01",
      ...(isForm ? {} : { "content-type": "application/json" }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text(), requestId: answer.headers.get("x-request-id") ?? "" };
}

function askText({ wire, path, body, bound }: Client, model: string, stream: boolean, max: number, key?: string) {
  const limitMembers = wire === "content" ? { generationConfig: { [bound]: max } } : { model, stream, [bound]: max };
  return call(path(model, stream), { ...body, ...limitMembers }, key);
}

/** Counts the words that a stream sent in deltas. The end of the stream may repeat all words. */
const deltasIn = (text: string): number => text.match(/"story "/g)?.length ?? 0;

const eventOf = (requestId: string) => area.eventOf(requestId);

describe.each(cases)("$model", ({ client, model }) => {
  test.each([false, true])("no usage above the call's maximum is billed; streamed: %s", async (stream) => {
    vendor.behave({ usage: { input: 1e300, output: 1e300 } });
    const { status, requestId } = await askText(client, model, stream, 50);
    expect(status).toBe(200);
    const event = await eventOf(requestId);
    expect(event).toMatchObject({ outcome: "completed", capped: ["inputTokens", "outputTokens"] });
    // The limit is 50 tokens plus a tolerance. The input is the body plus the tokens that a vendor may add.
    expect(event.units.outputTokens).toBe(67);
    expect(event.units.inputTokens).toBeLessThan(70_000);
    expect(BigInt(event.costNanos)).toBe(BigInt(event.units.inputTokens ?? 0) * price.input + 67n * price.output);
  });

  test("a complete answer above its limit is billed up to the limit if no usage is reported", async () => {
    vendor.behave({ words: 5_000, usage: undefined });
    const { status, requestId } = await askText(client, model, false, 50);
    expect(status).toBe(200);
    expect(await eventOf(requestId)).toMatchObject({
      units: { outputTokens: 67 },
      capped: ["outputTokens"],
      estimated: true,
    });
  });

  test("a stream with a complete hold ends at its limit, whatever its vendor sends", async () => {
    vendor.behave({ words: Infinity });
    const { status, text, requestId } = await askText(client, model, true, 50);
    expect(status).toBe(200);
    expect(text).toContain(client.length);
    expect(deltasIn(text)).toBeLessThan(4 * 50 + 64);
    await until("the vendor to be stopped", () => vendor.open === 0);
    expect(await eventOf(requestId)).toMatchObject({
      outcome: "completed",
      status: 200,
      estimated: true,
      units: { outputTokens: 50 },
      capped: ["outputTokens"],
    });
  });

  test("an answer within its limit is not cut", async () => {
    vendor.behave({ words: 50, usage: { input: 20, output: 50 } });
    for (const stream of [false, true]) {
      const { text, requestId } = await askText(client, model, stream, 50);
      expect(stream ? deltasIn(text) : text.split("story ").length - 1).toBe(50);
      const event = await eventOf(requestId);
      expect(event.units).toMatchObject({ inputTokens: 20, outputTokens: 50 });
      expect(event.capped).toBeUndefined();
    }
  });
});

describe("with two limits in one body", () => {
  const chatBody = { messages, max_completion_tokens: 1, max_tokens: 100_000 };
  const sentBy = async (path: string, body: object) => {
    expect((await call(path, body)).status).toBe(200);
    const sent: Record<string, unknown> = JSON.parse(vendor.requests.at(-1)?.body ?? "{}");
    return Object.fromEntries(Object.entries(sent).filter(([name]) => /max/i.test(name)));
  };

  test.each(["chat-bytes", "chat-patched", "chat-converted", "gpt-5"])(
    "the hold covers the larger one: %s",
    async (model) => {
      const { status, text } = await call("/v1/chat/completions", { model, ...chatBody }, poorKey);
      expect([status, text]).toEqual([402, expect.stringMatching(/may cost up to \$1\.0/)]);
    },
  );

  test.each([
    ["/v1/chat/completions", { model: "chat-bytes", ...chatBody }, { max_tokens: 100_000 }],
    ["/v1/chat/completions", { model: "chat-patched", ...chatBody }, { max_tokens: 100_000 }],
    ["/v1/chat/completions", { model: "gpt-5", ...chatBody }, { max_completion_tokens: 1 }],
    ["/v1/chat/completions", { model: "chat-bytes", messages, max_tokens: 7, max_output_tokens: 9 }, { max_tokens: 7 }],
    [
      "/v1/completions",
      { model: "completions-bytes", prompt: "x", max_tokens: 7, max_completion_tokens: 9 },
      { max_tokens: 7 },
    ],
    [
      "/v1/responses",
      { model: "responses-bytes", input: "x", max_output_tokens: 16, max_tokens: 99 },
      { max_output_tokens: 16 },
    ],
    ["/v1/messages", { model: "messages-bytes", messages, max_tokens: 7, max_tokens_to_sample: 99 }, { max_tokens: 7 }],
    [
      "/v1/messages",
      { model: "messages-patched", messages, max_tokens: 7, max_completion_tokens: 9 },
      { max_tokens: 7 },
    ],
  ])("the vendor gets one: %s %j", async (path, body, sent) => {
    expect(await sentBy(path, body)).toEqual(sent);
  });

  const contents = [{ parts: [{ text: "x" }] }];
  test.each([
    [{ generationConfig: { maxOutputTokens: 1, max_output_tokens: 100_000 } }, "generationConfig.max_output_tokens"],
    [{ generationConfig: { candidateCount: 1, candidate_count: 8 } }, "generationConfig.candidate_count"],
    [{ generation_config: { maxOutputTokens: 1 }, generationConfig: { maxOutputTokens: 9 } }, "generationConfig"],
    [{ generationConfig: { thinkingConfig: { thinkingBudget: 1, thinking_budget: 9 } } }, "thinking_budget"],
    [{ generationConfig: { MaxOutputTokens: 9 } }, "generationConfig.maxOutputTokens"],
  ])("two spellings of one member of generated content are refused: %j", async (more, param) => {
    const { status, text } = await call("/v1beta/models/content-bytes:generateContent", { contents, ...more });
    expect([status, text]).toEqual([400, expect.stringContaining(param)]);
  });

  test("the gateway's summary is included in the hold in addition to the client's output limit", async () => {
    const input = [{ role: "user", content: question }, { type: "compaction_trigger" }];
    const body = { model: "responses-converted", input, max_output_tokens: 50 };
    const { status, text } = await call("/v1/responses", body, tinyKey);
    expect([status, text]).toEqual([402, expect.stringMatching(/may cost up to \$0\.04/)]);
  });

  test.each([false, true])("an empty summary is charged, and is not written again; streamed: %s", async (stream) => {
    vendor.behave({ words: 0, usage: { input: 30, output: 4_000 } });
    const input = [{ role: "user", content: question }, { type: "compaction_trigger" }];
    const { text, requestId } = await call("/v1/responses", { model: "responses-converted", stream, input });
    expect(text).toContain("no complete summary");
    expect(await eventOf(requestId)).toMatchObject({
      outcome: "failed",
      units: { inputTokens: 30, outputTokens: 4_000 },
      estimated: false,
      tries: [{ channel: "responses-converted" }],
    });
  });

  test("the hold covers the larger of n and best_of, and the reasoning budget in addition to the limit", async () => {
    const ask = (more: object) =>
      call("/v1/chat/completions", { model: "chat-bytes", messages, max_tokens: 1_000, ...more }, poorKey);
    for (const more of [{ best_of: 20 }, { thinking_budget: 80_000 }, { reasoning: { max_tokens: 80_000 } }])
      expect((await ask(more)).status).toBe(402);
  });
});

describe("other kinds", () => {
  const billed = async (path: string, body: object | FormData) => {
    const { status, text, requestId } = await call(path, body);
    expect([status, text]).toEqual([200, expect.anything()]);
    return await eventOf(requestId);
  };
  const max = { usage: { input: 1e300, output: 1e300 }, items: 40 } as const;

  test("vectors have a maximum of input tokens", async () => {
    vendor.behave({ ...max, items: 1 });
    const { units, capped } = await billed("/v1/embeddings", { model: "vectors", input: "Hello" });
    expect(capped).toEqual(["inputTokens"]);
    expect(units.inputTokens).toBeLessThan(70_000);
  });

  test("a ranking has a maximum of input tokens and of search units", async () => {
    vendor.behave(max);
    const { units, capped } = await billed("/v1/rerank", { model: "ranks", query: "x", documents: ["a", "b"] });
    expect(capped).toEqual(["inputTokens", "requests"]);
    expect(units.requests).toBeLessThanOrEqual(20);
  });
});

test("unbilled usage is recorded on the channel", async () => {
  vendor.behave({ usage: { input: 1e300, output: 3 } });
  const { requestId } = await askText(clients[0], "chat-bytes", false, 50);
  expect((await eventOf(requestId)).capped).toEqual(["inputTokens"]);
  expect((await readCappedUsage(area.redis)).get("chat-bytes")).toBeGreaterThan(0);
  await switchChannel(area.redis, "chat-bytes", true, "");
  expect((await readCappedUsage(area.redis)).get("chat-bytes")).toBeUndefined();
  expect((await area.account("demo")).balanceNanos > 990_000_000_000n).toBe(true);
});
