import { Ollama, type ChatRequest, type ChatResponse, type GenerateResponse } from "ollama";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Area } from "../../../libs/relay/test/area.ts";
import { keyOf, price, settled, startText } from "./every-vendor.ts";

/** Model for the tests of Ollama's client. `libs/wires` tests the conversion to all vendors. */
const model = "messages";
let area: Area;
beforeAll(async () => {
  area = await startText({ accounts: ["ollama-whole", "ollama-streamed"] });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const clientWith = (key: string): Ollama => new Ollama({ host: area.url, headers: { authorization: `Bearer ${key}` } });
const simulate = (behaviour: object) => `{{simulate: ${JSON.stringify(behaviour)}}}`;
const user = (content: string) => [{ role: "user", content }];
const weather = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

/** Sends a chat request. Returns the content that the client reads, from one answer or from the lines of a stream. */
async function chat(request: ChatRequest, { stream = false, key = keyOf("demo") } = {}) {
  const client = clientWith(key);
  if (!stream) return readOf([await client.chat({ ...request, stream: false })]);
  const lines: ChatResponse[] = [];
  for await (const line of await client.chat({ ...request, stream: true })) lines.push(line);
  return readOf(lines);
}

function readOf(lines: readonly ChatResponse[]) {
  const last = lines.at(-1);
  return {
    text: lines.map(({ message }) => message.content).join(""),
    thinking: lines.map(({ message }) => message.thinking ?? "").join(""),
    calls: lines.flatMap(({ message }) => message.tool_calls ?? []),
    isDone: lines.map(({ done }) => done),
    reason: last?.done_reason,
    last,
  };
}

describe("chats", () => {
  beforeEach(() => area.simulator.forget(model));
  const lastVendorBody = async (): Promise<string> => (await area.simulator.requests(model)).at(-1)?.body ?? "";

  describe.each([
    { how: "whole", stream: false },
    { how: "streamed", stream: true },
  ])("$how", ({ how, stream }) => {
    test("text, with its counts and durations", async () => {
      const answer = await chat({ model, messages: user("Hello") }, { stream });
      expect(answer).toMatchObject({ text: "You said: Hello", thinking: "", calls: [], reason: "stop" });
      expect(answer.isDone.filter(Boolean)).toEqual([true]);
      expect(answer.last).toMatchObject({ model, done: true, load_duration: 0 });
      for (const count of ["prompt_eval_count", "eval_count", "total_duration", "eval_duration"] as const)
        expect(answer.last?.[count], count).toBeGreaterThan(0);
      expect(Number.isNaN(Date.parse(String(answer.last?.created_at)))).toBe(false);
    });

    test("the bill is the price of the reported usage", async () => {
      const account = `ollama-${how}`;
      const usage = { inputTokens: 1_000, cachedTokens: 600, outputTokens: 80, reasoningTokens: 30 };
      const before = await settled(area, account);
      const answer = await chat(
        { model, messages: user(`Hello ${simulate({ usage })}`) },
        { stream, key: keyOf(account) },
      );
      expect(answer.last).toMatchObject({ prompt_eval_count: 1_000, eval_count: 80 });
      const nanos = 400 * price.input * 1_000 + 600 * price.cachedInput * 1_000 + 80 * price.output * 1_000;
      expect(before - (await settled(area, account))).toBe(BigInt(nanos));
    });

    test("a tool is called, and its result answers the call", async () => {
      const messages = user('call weather {"city":"Oslo"}');
      const first = await chat({ model, messages, tools: [weather] }, { stream });
      expect(first.calls).toMatchObject([{ function: { name: "weather", arguments: { city: "Oslo" } } }]);
      const assistantMessage = { role: "assistant", content: first.text, tool_calls: first.calls };
      const result = { role: "tool", content: "rain", tool_name: "weather" };
      const second = await chat(
        { model, messages: [...messages, assistantMessage, result], tools: [weather] },
        { stream },
      );
      expect(second).toMatchObject({ text: "rain", calls: [] });
    });

    test("a prompt is answered with the system's instructions", async () => {
      const generateRequest = { model, prompt: "Hello", system: "Be brief.", options: { temperature: 0.5 } };
      const lines: GenerateResponse[] = [];
      const client = clientWith(keyOf("demo"));
      if (stream)
        for await (const line of await client.generate({ ...generateRequest, stream: true })) lines.push(line);
      else lines.push(await client.generate({ ...generateRequest, stream: false }));
      expect(lines.map(({ response }) => response).join("")).toBe("You said: Hello");
      expect(lines.at(-1)).toMatchObject({ done: true, done_reason: "stop", eval_count: expect.any(Number) });
      expect(await lastVendorBody()).toContain("Be brief.");
    });
  });

  test("reasoning is shown on request", async () => {
    for (const stream of [false, true]) {
      const answer = await chat({ model, messages: user("Hello"), think: "high" }, { stream });
      expect(answer).toMatchObject({
        text: "You said: Hello",
        thinking: expect.stringContaining("Thinking about"),
      });
    }
  });

  test("options that no vendor supports are reported, and refused in strict mode", async () => {
    const body = { model, stream: false, messages: user("Hello"), keep_alive: "5m", options: { num_ctx: 4_096 } };
    const named = await post("/api/chat", body);
    expect(named.headers.get("x-modelgate-dropped")?.split(/, ?/).toSorted()).toEqual([
      "keep_alive",
      "options.num_ctx",
    ]);
    const strict = await post("/api/chat", body, { "x-modelgate-strict": "true" });
    expect([strict.status, await strict.json()]).toEqual([400, { error: expect.stringContaining("keep_alive") }]);
  });

  test("a stream that breaks ends with an error", async () => {
    const messages = user(simulate({ text: "Half an answer that goes on", cutAfterChunks: 2 }));
    await expect(chat({ model, messages }, { stream: true })).rejects.toThrow(/vendor|cut|broke/i);
  });
});

test.each([
  ["an unknown model", () => clientWith(keyOf("demo")).chat({ model: "none", messages: user("Hi") }), 404, /none/],
  [
    "an unknown role",
    () => clientWith(keyOf("demo")).chat({ model: "chat", messages: [{ role: "guest", content: "Hi" }] }),
    400,
    /role/,
  ],
  [
    "text after the answer",
    () => clientWith(keyOf("demo")).generate({ model: "chat", prompt: "Hi", suffix: "end" }),
    400,
    /suffix/,
  ],
])("%s is an error in Ollama's format", async (_, ask, status, message) => {
  const thrown: unknown = await ask().catch((error: unknown) => error);
  expect(thrown).toMatchObject({ name: "ResponseError", status_code: status, message: expect.stringMatching(message) });
});

test("a request without a prompt loads the model, and costs nothing", async () => {
  const before = await settled(area);
  const client = clientWith(keyOf("demo"));
  expect(await client.generate({ model: "chat", prompt: "" })).toMatchObject({ done: true, done_reason: "load" });
  expect(await client.chat({ model: "chat", messages: [] })).toMatchObject({ done: true, done_reason: "load" });
  expect(await settled(area)).toBe(before);
});

test("JSON is read with any content type, because curl sends it without a header", async () => {
  const chatBody = { model: "chat", stream: false, messages: user("Hello") };
  for (const path of ["/api/chat", "/api/show"]) {
    const answer = await post(path, chatBody, { "content-type": "application/x-www-form-urlencoded" });
    expect([path, answer.status]).toEqual([path, 200]);
  }
});

test("models are listed, shown and ready", async () => {
  const client = clientWith(keyOf("demo"));
  expect((await client.list()).models.map(({ name }) => name)).toContain("messages");
  expect((await client.ps()).models.map(({ name }) => name)).toContain("messages");
  expect(await client.show({ model: "messages" })).toMatchObject({
    capabilities: expect.arrayContaining(["completion", "tools"]),
    details: { family: expect.any(String) },
  });
  expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
  await expect(client.show({ model: "none" })).rejects.toMatchObject({ status_code: 404 });
});

function post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const all = { authorization: `Bearer ${keyOf("demo")}`, "content-type": "application/json", ...headers };
  return fetch(area.url + path, { method: "POST", headers: all, body: JSON.stringify(body) });
}
