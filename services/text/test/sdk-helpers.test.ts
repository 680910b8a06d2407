import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Area } from "../../../libs/relay/test/area.ts";
import { anthropicAt, googleAt, keyOf, openaiAt, startText } from "./every-vendor.ts";
import { forbidWarnings } from "./forbid-warnings.ts";
import { ownAndOther } from "./vendors.ts";

/** Tests functions of the official SDKs beyond a plain request, over vendors of the same wire and of another wire. */
let area: Area;
beforeAll(async () => {
  area = await startText({ env: { HEARTBEAT_MS: "100" } });
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

const key = keyOf("demo");
const user = (content = "Hello") => [{ role: "user" as const, content }];
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
};

describe.each(ownAndOther("chat"))("chat completions over $name", ({ name: model }) => {
  const completions = () => openaiAt(area.url, key).chat.completions;
  const call = { model, messages: user('call weather {"city":"Oslo"}') };

  test("the helper for streams collects calls", async () => {
    const { choices } = await completions()
      .stream({ ...call, tools: [weather] })
      .finalChatCompletion();
    expect(choices).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
      },
    ]);
  });

  test("the tool runner", async () => {
    const run = completions().runTools({
      ...call,
      tools: [{ ...weather, function: { ...weather.function, description: "", function: () => "rain" } }],
    });
    expect(await run.finalContent()).toBe("rain");
  });

  test("an answer is parsed by a schema", async () => {
    const json_schema = { name: "place", strict: true, schema: weather.function.parameters };
    const answer = await completions().parse({
      model,
      messages: user(),
      response_format: { type: "json_schema", json_schema },
    });
    expect(answer.choices[0]?.message.parsed).toEqual({ city: "words" });
  });

  test("a stream has no usage unless it was requested", async () => {
    for await (const chunk of await completions().create({ model, messages: user(), stream: true })) {
      expect(chunk.usage ?? null).toBeNull();
      expect(chunk.choices).toHaveLength(1);
    }
  });
});

describe.each(ownAndOther("messages"))("messages over $name", ({ name: model, wire }) => {
  beforeEach(() => area.simulator.forget(model));
  const hello = { model, max_tokens: 100, messages: user() };
  const post = (body: object, headers: Record<string, string> = {}, query = "") =>
    area.post(`/v1/messages${query}`, body, key, { "anthropic-version": "2023-06-01", ...headers });

  test("beta features reach only a vendor that supports them", async () => {
    const answer = await post(hello, { "anthropic-beta": "a-1,b-2" }, "?beta=true");
    expect(answer.status).toBe(200);
    const [vendorRequest] = await area.simulator.requests(model);
    const isOwn = wire === "messages";
    expect(vendorRequest?.headers["anthropic-beta"]).toBe(isOwn ? "a-1,b-2" : undefined);
    expect(vendorRequest?.headers["anthropic-version"]).toBe(isOwn ? "2023-06-01" : undefined);
    expect(answer.headers.get("x-modelgate-dropped")?.includes("anthropic-beta") ?? false).toBe(!isOwn);
  });

  test("the SDK's beta messages, and its count of tokens", async () => {
    const { beta, messages } = anthropicAt(area.url, key);
    const { content } = await beta.messages.create({ ...hello, betas: ["a-1"] });
    expect(content).toMatchObject([{ type: "text", text: "You said: Hello" }]);
    expect((await messages.countTokens({ model, messages: user() })).input_tokens).toBeGreaterThan(0);
  });

  test("a silent stream sends heartbeats", async () => {
    const prompt = `Hello {{simulate: {"chunks": 2, "chunkDelayMs": 350}}}`;
    const events = await (await post({ ...hello, messages: user(prompt), stream: true })).text();
    expect(events).toContain('event: ping\ndata: {"type":"ping"}\n\n');
    expect(events.trimEnd().endsWith('data: {"type":"message_stop"}')).toBe(true);
  });
});

describe.each(ownAndOther("content"))("content generation over $name", ({ name: model }) => {
  const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
  interface Piece {
    readonly candidates?: readonly { readonly content?: { readonly parts?: readonly { readonly text?: string }[] } }[];
  }
  const wordsOf = (pieces: readonly Piece[]): string =>
    pieces
      .flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
      .map(({ text }) => text ?? "")
      .join("");

  test.each([
    [
      "server-sent events",
      "?alt=sse",
      "text/event-stream",
      (text: string) => `[${[...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join(",")}]`,
    ],
    ["one JSON array", "", "application/json", (text: string) => text],
  ])("a stream of %s", async (_, query, type, arrayOf) => {
    const answer = await area.post(`/v1beta/models/${model}:streamGenerateContent${query}`, { contents }, key);
    expect(answer.headers.get("content-type")).toContain(type);
    const pieces: readonly Piece[] = JSON.parse(arrayOf(await answer.text()));
    expect(pieces.length).toBeGreaterThan(1);
    expect(wordsOf(pieces)).toBe("You said: Hello");
    expect(pieces.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata: expect.anything() });
  });

  test("tokens are counted, and the model is described", async () => {
    const { models } = googleAt(area.url, key);
    expect((await models.countTokens({ model, contents: "Hello there" })).totalTokens).toBeGreaterThan(0);
    expect(await models.get({ model })).toMatchObject({ name: `models/${model}` });
  });
});

test("an overload in the middle of a stream has the type and the code of each client's wire", async () => {
  const overload = { errorAfterChunks: 1, chunks: 3, chunkDelayMs: 1, errorCode: "overloaded_error" };
  const body = { model: "messages", max_tokens: 100, messages: user(), stream: true };
  for (const [path, end] of [
    ["/v1/messages", /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error".*\n\n$/],
    ["/v1/chat/completions", /\n\ndata: \{"error":\{.*"code":"upstream_overloaded"\}\}\n\n$/],
  ] as const) {
    await area.simulator.script("messages", [overload]);
    const answer = await area.post(path, body, key, { "anthropic-version": "2023-06-01" });
    expect(await answer.text()).toMatch(end);
  }
});
