import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { samplePng } from "../pictures.ts";
import { anthropicSchemas, openaiSchemas, type Check } from "../schemas/published.ts";
import { keyOf, startHouse } from "./house.ts";
import { vendors } from "./vendors.ts";

/** Answers hold against the schemas that OpenAI and Anthropic publish, whichever vendor gave them. */
let suite: Suite;
let openai: (name: string) => Check;
let anthropic: (file: string, type: string) => Check;

const others = {
  vectors: ["embedding", "openai", "/openai/v1"],
  "content-vectors": ["embedding", "gemini", "/gemini"],
  judge: ["moderation", "openai", "/openai/v1"],
  sketch: ["image", "openai", "/openai/v1"],
  "qwen-sketch": ["image", "qwen", "/dashscope/api/v1"],
  "content-sketch": ["image", "gemini", "/gemini"],
  listener: ["transcription", "openai", "/openai/v1"],
  speaker: ["speech", "openai", "/openai/v1"],
  film: ["video", "openai", "/openai/v1"],
} as const;
/** The vendor's own names, on which depends what they give. */
const ownNames: Readonly<Record<string, string>> = {
  vectors: "text-embedding-3-small",
  "content-vectors": "gemini-embedding-001",
  judge: "omni-moderation-latest",
  sketch: "gpt-image-1",
  "qwen-sketch": "qwen-image",
  "content-sketch": "gen-image",
  listener: "whisper-1",
  speaker: "tts-events",
  film: "sora-2",
};

beforeAll(async () => {
  openai = openaiSchemas();
  anthropic = anthropicSchemas();
  // Reading the types takes longer than a test may.
  for (const [file, type] of [
    ["messages/messages", "Message"],
    ["shared", "ErrorResponse"],
  ] as const)
    anthropic(file, type);
  suite = await startHouse({
    models: Object.fromEntries(
      Object.entries(others).map(([name, [kind]]) => [name, { kind, price: { request: 0.001 } }]),
    ),
    channels: Object.entries(others).map(([name, [, provider, path]]) => ({
      id: `of-${name}`,
      provider,
      baseUrl: `\${SIMULATOR_URL}/at/of-${name}${path}`,
      keys: [`key-of-${name}`],
      models: { [name]: ownNames[name] },
    })),
  });
}, 300_000);
afterAll(() => suite?.[Symbol.asyncDispose]());

async function ask(path: string, body?: object | FormData) {
  const isForm = body instanceof FormData;
  const answer = await fetch(suite.edgeUrl + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${keyOf("demo")}`,
      "anthropic-version": path.startsWith("/v1/messages") ? "2023-06-01" : "",
      ...(isForm || body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** The JSON of every event of a stream. */
const eventsIn = (stream: string): readonly unknown[] =>
  stream.split(/\r?\n/).flatMap((line) => {
    const data = line.startsWith("data: ") ? line.slice("data: ".length) : "[DONE]";
    // Every SDK passes over pings, and the types of Anthropic's know none.
    return data === "[DONE]" || data.includes('"type":"ping"') ? [] : [JSON.parse(data)];
  });

/** Asks whole and streamed, and holds the answer and every event of the stream against their schemas. */
async function expectValid(path: string, body: object, whole: Check, piece: Check): Promise<void> {
  const answer = await ask(path, body);
  expect(answer).toMatchObject({ status: 200 });
  expect(whole(JSON.parse(answer.text)), answer.text).toEqual([]);
  const stream = await ask(path, { ...body, stream: true });
  expect(stream).toMatchObject({ status: 200 });
  const events = eventsIn(stream.text);
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) expect(piece(event), JSON.stringify(event)).toEqual([]);
}

const simulate = (behaviour: object) => `{{simulate: ${JSON.stringify(behaviour)}}}`;
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const order = 'call weather {"city":"Oslo"}';
/** What a user says, by what is to be seen of the answer. */
const said = {
  words: "Hello",
  "a call": order,
  "a cut answer": "word ".repeat(60),
  "a filtered answer": simulate({ finish: "content_filter", text: "Half a" }),
  "a refusal": simulate({ refusal: true, text: "No." }),
  "cached tokens": `Hello ${simulate({ usage: { inputTokens: 1_000, cachedTokens: 600, outputTokens: 80, reasoningTokens: 30 } })}`,
} as const;
const cases = Object.entries(said);

/** A client's answers are written by its own wire, whichever vendor gave them: one of its own, and one that is converted. */
const two = vendors.filter(({ name }) => name === "messages" || name === "responses");

describe.each(two)("over $name", ({ name: model }) => {
  test.each(cases)("chat completions: %s", async (_, content) => {
    const tools = [{ type: "function", function: { name: "weather", parameters } }];
    const body = { model, max_tokens: 40, tools, messages: [{ role: "user", content }], reasoning_effort: "low" };
    const plain = { ...body, stream_options: undefined };
    const [whole, piece] = [openai("CreateChatCompletionResponse"), openai("CreateChatCompletionStreamResponse")];
    await expectValid("/v1/chat/completions", plain, whole, piece);
    const stream = await ask("/v1/chat/completions", {
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    for (const event of eventsIn(stream.text)) expect(piece(event), JSON.stringify(event)).toEqual([]);
  });

  test.each(cases)("responses: %s", async (_, content) => {
    const body = {
      model,
      max_output_tokens: 40,
      input: content,
      tools: [{ type: "function", name: "weather", parameters, strict: false }],
      reasoning: { effort: "low", summary: "auto" },
    };
    await expectValid("/v1/responses", body, openai("Response"), openai("ResponseStreamEvent"));
  });

  test.each(cases)("messages: %s", async (_, content) => {
    const body = {
      model,
      max_tokens: 40,
      tools: [{ name: "weather", input_schema: parameters }],
      messages: [{ role: "user", content }],
    };
    const file = "messages/messages";
    await expectValid("/v1/messages", body, anthropic(file, "Message"), anthropic(file, "RawMessageStreamEvent"));
  });

  test("messages with thoughts", async () => {
    const body = {
      model,
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
      messages: [{ role: "user", content: "Hello" }],
    };
    const file = "messages/messages";
    await expectValid("/v1/messages", body, anthropic(file, "Message"), anthropic(file, "RawMessageStreamEvent"));
  });

  test("completions", async () => {
    const check = openai("CreateCompletionResponse");
    await expectValid("/v1/completions", { model, prompt: "Once", max_tokens: 40 }, check, check);
  });

  test("stored responses, their input, compactions and counts", async () => {
    const made = JSON.parse((await ask("/v1/responses", { model, input: "Hello" })).text);
    const stored = JSON.parse((await ask(`/v1/responses/${made.id}`)).text);
    expect(openai("Response")(stored), JSON.stringify(stored)).toEqual([]);
    const items = JSON.parse((await ask(`/v1/responses/${made.id}/input_items`)).text);
    expect(openai("ResponseItemList")(items), JSON.stringify(items)).toEqual([]);
    const compacted = await ask("/v1/responses/compact", { model, input: "Hello" });
    expect(openai("CompactResource")(JSON.parse(compacted.text)), compacted.text).toEqual([]);
    const count = await ask("/v1/responses/input_tokens", { model, input: "Hello" });
    expect(openai("TokenCountsResource")(JSON.parse(count.text)), count.text).toEqual([]);
    const messages = await ask("/v1/messages/count_tokens", { model, messages: [{ role: "user", content: "Hello" }] });
    expect(anthropic("messages/messages", "MessageTokensCount")(JSON.parse(messages.text)), messages.text).toEqual([]);
  });
});

test.each(["vectors", "content-vectors"])("embeddings of %s", async (model) => {
  const answer = await ask("/v1/embeddings", { model, input: ["Hello", "you"] });
  expect(openai("CreateEmbeddingResponse")(JSON.parse(answer.text)), answer.text).toEqual([]);
});

test.each(["judge"])("moderations of %s", async (model) => {
  const answer = await ask("/v1/moderations", { model, input: "Hello" });
  expect(openai("CreateModerationResponse")(JSON.parse(answer.text)), answer.text).toEqual([]);
});

test.each(["sketch", "qwen-sketch", "content-sketch"])("images of %s", async (model) => {
  await expectValid(
    "/v1/images/generations",
    { model, prompt: "A boat", response_format: "b64_json" },
    openai("ImagesResponse"),
    openai("ImageGenStreamEvent"),
  );
  const form = new FormData();
  form.set("model", model);
  form.set("prompt", "A boat");
  form.set("image", new Blob([samplePng()], { type: "image/png" }), "boat.png");
  const edited = await ask("/v1/images/edits", form);
  expect(openai("ImagesResponse")(JSON.parse(edited.text)), edited.text.slice(0, 400)).toEqual([]);
});

test.each(["json", "verbose_json"])("a transcript as %s", async (format) => {
  const form = new FormData();
  form.set("model", "listener");
  form.set("response_format", format);
  form.set("file", new Blob([await spoken()], { type: "audio/wav" }), "said.wav");
  const answer = await ask("/v1/audio/transcriptions", form);
  const name = format === "json" ? "CreateTranscriptionResponseJson" : "CreateTranscriptionResponseVerboseJson";
  expect(openai(name)(JSON.parse(answer.text)), answer.text).toEqual([]);
});

test("speech as events", async () => {
  const asked = { model: "speaker", voice: "alloy", input: "Hello", stream_format: "sse" };
  const events = eventsIn((await ask("/v1/audio/speech", asked)).text);
  expect(events.length).toBeGreaterThan(1);
  for (const event of events) expect(openai("CreateSpeechResponseStreamEvent")(event)).toEqual([]);
});

test("a film's task", async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "film", prompt: "A boat", seconds: "4", size: "720x1280" }))
    form.set(name, value);
  const made = await ask("/v1/videos", form);
  expect(openai("VideoResource")(JSON.parse(made.text)), made.text).toEqual([]);
  const looked = await ask(`/v1/videos/${JSON.parse(made.text).id}`);
  expect(openai("VideoResource")(JSON.parse(looked.text)), looked.text).toEqual([]);
});

test("model lists and errors", async () => {
  const list = await ask("/v1/models");
  expect(openai("ListModelsResponse")(JSON.parse(list.text)), list.text.slice(0, 400)).toEqual([]);
  const one = await ask("/v1/models/chat");
  expect(openai("Model")(JSON.parse(one.text)), one.text).toEqual([]);
  const wrong = await ask("/v1/chat/completions", { model: "none", messages: [{ role: "user", content: "Hello" }] });
  expect(wrong.status).toBe(404);
  expect(openai("ErrorResponse")(JSON.parse(wrong.text)), wrong.text).toEqual([]);
  const refused = await ask("/v1/messages", {
    model: "none",
    max_tokens: 1,
    messages: [{ role: "user", content: "a" }],
  });
  expect(anthropic("shared", "ErrorResponse")(JSON.parse(refused.text)), refused.text).toEqual([]);
}, 180_000);

async function spoken(): Promise<ArrayBuffer> {
  const answer = await fetch(`${suite.edgeUrl}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${keyOf("demo")}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "speaker", voice: "alloy", input: "Hello there", response_format: "wav" }),
  });
  return await answer.arrayBuffer();
}
