import { describe, expect, test } from "vitest";
import { Failure, renderFailure } from "@modelgate/contracts";
import { wires as imageWires } from "@modelgate/wires/images";
import { wires as moderationWires } from "@modelgate/wires/moderation";
import { wires as speechWires } from "@modelgate/wires/speech";
import { textWire, wires, vendorTextWire, type PassThroughWireName, type TextAnswer } from "@modelgate/wires/text";
import { wires as transcriptWires } from "@modelgate/wires/transcripts";
import { wires as vectorWires } from "@modelgate/wires/vectors";
import { wires as videoWires } from "@modelgate/wires/video";
import { modelLists } from "../../src/model-lists.ts";
import { compactExchange, renderCompactedTurn } from "../../src/responses/compaction/compaction.ts";
import { pageOf } from "../../src/responses/routes/pages.ts";
import { readForClient, callOf, exchangeOf, vendorAnswer } from "../exchanges/in-memory.ts";
import { storedAnthropic, anthropicSchemas, anthropicSource, openaiSchemas, type Check } from "./published.ts";

/** Answers of all vendors must be valid by the schemas that OpenAI and Anthropic publish for the client's wire. */
const openai = openaiSchemas();
const anthropic = anthropicSchemas();

const vendors = ["chat", "responses", "messages", "content"] as const;
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const turns = [{ role: "user", content: "Hello" }];

const answerOf = (parts: TextAnswer["choices"][number]["parts"], finish: TextAnswer["choices"][number]["finish"]) => ({
  id: "a_1",
  model: "m",
  createdAt: 1_763_700_000,
  choices: [{ parts, finish }],
  usage: { inputTokens: 1_000, cachedInputTokens: 600, outputTokens: 80, reasoningTokens: 30 },
});
/** Answers of vendors, named after the property that clients see. */
const cases: readonly (readonly [string, TextAnswer])[] = [
  ["words", answerOf([{ kind: "text", text: "Hello." }], "stop")],
  [
    "a call",
    answerOf([{ kind: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' }], "tool-calls"),
  ],
  ["a truncated answer", answerOf([{ kind: "text", text: "word word" }], "length")],
  ["a filtered answer", answerOf([{ kind: "text", text: "Half a" }], "filtered")],
  ["a refusal", answerOf([{ kind: "refusal", text: "No." }], "refused")],
  [
    "thoughts",
    answerOf(
      [
        { kind: "reasoning", text: "Hm.", summary: true },
        { kind: "text", text: "Yes." },
      ],
      "stop",
    ),
  ],
];

/** Returns the JSON of all events of a stream. */
function eventsIn(stream: string): readonly unknown[] {
  return stream.split(/\r?\n/).flatMap((line) => {
    const data = line.startsWith("data: ") ? line.slice("data: ".length) : "[DONE]";
    // Every SDK skips pings, and Anthropic's types do not include them.
    return data === "[DONE]" || data.includes('"type":"ping"') ? [] : [JSON.parse(data)];
  });
}

/** Clients with published schemas: wire, request, schema of a complete answer, and schema of a stream's event. */
const clients: readonly (readonly [
  client: PassThroughWireName,
  body: object,
  whole: () => Check,
  piece: () => Check,
])[] = [
  [
    "chat",
    {
      model: "m",
      max_tokens: 4_000,
      tools: [{ type: "function", function: { name: "weather", parameters } }],
      messages: turns,
    },
    () => openai("CreateChatCompletionResponse"),
    () => openai("CreateChatCompletionStreamResponse"),
  ],
  [
    "responses",
    {
      model: "m",
      max_output_tokens: 4_000,
      input: "Hello",
      tools: [{ type: "function", name: "weather", parameters, strict: false }],
      reasoning: { effort: "low", summary: "auto" },
    },
    () => openai("Response"),
    () => openai("ResponseStreamEvent"),
  ],
  [
    "messages",
    {
      model: "m",
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
      tools: [{ name: "weather", input_schema: parameters }],
      messages: turns,
    },
    () => anthropic("Message"),
    () => anthropic("RawMessageStreamEvent"),
  ],
  [
    "completions",
    { model: "m", prompt: "Once", max_tokens: 40 },
    () => openai("CreateCompletionResponse"),
    () => openai("CreateCompletionResponse"),
  ],
];

describe.each(clients)("%s", (client, body, whole, piece) => {
  describe.each(vendors)("over a vendor of %s", (vendor) => {
    test.each(cases)("%s", async (name, answer) => {
      // A completions request cannot have tools.
      if (client === "completions" && name === "a call") return;
      const exchange = await exchangeOf(callOf(client, body), textWire(vendor));
      const { text } = await readForClient(exchange, vendorAnswer(vendor, exchange, answer));
      expect(whole()(JSON.parse(text)), text).toEqual([]);
      for (const includeUsage of client === "chat" ? [false, true] : [true]) {
        const call = callOf(client, { ...body, stream: true }, { includeUsage });
        const streaming = await exchangeOf(call, textWire(vendor));
        const stream = await readForClient(streaming, vendorAnswer(vendor, streaming, answer));
        const events = eventsIn(stream.text);
        expect(events.length).toBeGreaterThan(0);
        for (const event of events) expect(piece()(event), JSON.stringify(event)).toEqual([]);
      }
    });
  });
});

const context = { model: "m", answerId: "id-1", inputTokens: 7, now: 1_763_700_000 };

test("a compacted turn, the input of a response, and token counts", async () => {
  const compaction = {
    model: "m",
    stream: false,
    instructions: undefined,
    items: [{ type: "message", role: "user", content: "Hello" }],
    encrypt: (summary: string) => summary,
    answerId: "resp_1",
    requestBody: { model: "m", input: "Hello" },
    requestBytes: 10,
    render: renderCompactedTurn,
  };
  const exchange = await compactExchange(compaction, vendorTextWire("messages"), "claude");
  const answer = answerOf([{ kind: "text", text: "A summary." }], "stop");
  const { text } = await readForClient(exchange, vendorAnswer("messages", exchange, answer));
  expect(openai("Response")(JSON.parse(text)), text).toEqual([]);
  const content = [{ type: "input_text", text: "Hello" }];
  const item = { type: "message", id: "msg_1", status: "completed", role: "user", content };
  expect(openai("ResponseItemList")(pageOf([item], new URLSearchParams()))).toEqual([]);
  expect(openai("TokenCountsResource")(wires.responses.client.count?.render(7))).toEqual([]);
  const counted = anthropic("MessageTokensCount");
  expect(counted(wires.messages.client.count?.render(7))).toEqual([]);
});

test("vectors and moderations match their schemas", () => {
  const { embeddings } = vectorWires;
  const { request } = embeddings.client.read({ model: "m", input: ["Hello", "you"] }, {});
  const vectors = { model: "m", vectors: [{ floats: [1, 0] }, { floats: [0, 1] }], usage: { inputTokens: 2 } };
  expect(openai("CreateEmbeddingResponse")(embeddings.client.render(vectors, { ...context, request }))).toEqual([]);
  const { moderations } = moderationWires;
  const judged = moderations.client.read({ model: "m", input: "Hello" }).request;
  const names = openaiCategories.split(" ");
  const all = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
  const result = {
    flagged: false,
    categories: all(false),
    category_scores: all(0.1),
    category_applied_input_types: all(["text"]),
  };
  const answer = moderations.vendor.parse({ id: "modr-1", model: "m", results: [result] });
  const rendered = moderations.client.render(answer, { ...context, request: judged });
  expect(openai("CreateModerationResponse")(rendered)).toEqual([]);
});

const openaiCategories =
  "harassment harassment/threatening sexual sexual/minors hate hate/threatening illicit illicit/violent self-harm " +
  "self-harm/intent self-harm/instructions violence violence/graphic";

test("images and their events match their schemas", () => {
  const tokens = { inputTokens: 2, outputTokens: 1, outputImageTokens: 9 };
  const images = { images: [{ base64: "iVBORw0KGgo=" }], created: 1, tokens };
  const { client } = imageWires.images;
  for (const act of ["generation", "edit"] as const) {
    expect(openai("ImagesResponse")(client.render(images, { now: 1, act }))).toEqual([]);
    const event = openai(act === "edit" ? "ImageEditStreamEvent" : "ImageGenStreamEvent");
    for (const each of eventsIn(client.renderStream(images, { now: 1, act }))) expect(event(each)).toEqual([]);
  }
});

test.each([
  ["json", "CreateTranscriptionResponseJson"],
  ["verbose_json", "CreateTranscriptionResponseVerboseJson"],
])("a transcript as %s matches its schema", (format, schema) => {
  const { client, vendor } = transcriptWires.transcriptions;
  const request = client.read([
    ["model", "m"],
    ["response_format", format],
    ...(format === "json" ? [] : [["timestamp_granularities[]", "word"] as const]),
  ]);
  // Vendors of other wires do not report all members of a segment that OpenAI's model reports.
  const words = [{ word: "Hello", start: 0, end: 1.5 }];
  const transcript = vendor.parse({ text: "Hello", language: "english", duration: 1.5, words });
  expect(openai(schema)(client.render({ ...transcript, usage: { seconds: 2 } }, request))).toEqual([]);
  const usage = { type: "tokens", input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  for (const event of eventsIn(client.renderStream({ text: "Hello", usage })))
    expect(openai("CreateTranscriptionResponseStreamEvent")(event)).toEqual([]);
});

test("events of speech and a video task match their schemas", () => {
  const { client } = speechWires.speech;
  const { write } = client.stream();
  const used = write({ kind: "done", usage: { inputTokens: 3, outputAudioTokens: 4 } });
  const events = eventsIn(write({ kind: "audio", bytes: Buffer.from("a") }) + used);
  expect(events).toHaveLength(2);
  for (const event of events) expect(openai("CreateSpeechResponseStreamEvent")(event)).toEqual([]);
  const requested = { prompt: "A boat", seconds: 4, size: "720x1280", fromImage: false };
  const task = { id: "video_1", model: "m", progress: 0, createdAt: 1_763_700_000_000, requested };
  for (const state of ["queued", "completed"] as const)
    expect(openai("VideoResource")(videoWires.videos.client.render({ ...task, state }))).toEqual([]);
});

test("model lists and errors match their schemas", () => {
  const model = { name: "m", kind: "chat", ownedBy: "acme" } as const;
  expect(openai("ListModelsResponse")(modelLists.common.list([model], new URLSearchParams()))).toEqual([]);
  expect(openai("Model")(modelLists.common.one(model))).toEqual([]);
  const failure = new Failure("model_not_found", "There is no such model.", { param: "model" });
  expect(openai("ErrorResponse")(renderFailure("common", failure, "r"))).toEqual([]);
  expect(anthropic("ErrorResponse")(renderFailure("alpha", failure, "r"))).toEqual([]);
});

test("the stored schemas of Anthropic are those of the installed SDK", () => {
  expect(storedAnthropic.source, "run node services/text/test/published/extract-anthropic.ts").toBe(anthropicSource());
});
