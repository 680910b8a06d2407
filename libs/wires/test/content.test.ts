import { Failure } from "@modelgate/contracts";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonRecord, runToEnd } from "@modelgate/formats/json";
import { chatWire } from "../src/text/chat/index.ts";
import { contentWire } from "../src/text/content/index.ts";
import { contentPass } from "../src/text/content/pass.ts";
import { maxBufferedCharacters } from "../src/text/content/client-stream.ts";
import { toJsonSchema } from "../src/text/content/schema.ts";
import { contentUsage, renderUsage } from "../src/text/content/usage.ts";
import type { TextEvent } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import type { TextRequest, Turn } from "../src/text/hub/request.ts";
import type { TextPass } from "../src/text/pass.ts";
import { wires } from "../src/text/wires.ts";
import {
  answer,
  dialogue,
  fileBytes,
  functionCall,
  functionTool,
  imageBytes,
  json,
  merged,
  plainImage,
  record,
  request,
  sampling,
  signatureWith,
  textPart,
  word,
} from "./arbitraries.ts";
import {
  contextFor,
  eventsOf,
  framesOf,
  readBack,
  renders,
  testsOfAnswers,
  toolRound,
  weather,
  written,
} from "./harness.ts";

const targetWithLevels = { model: "gemini-3-flash", defaultMaxTokens: 1000 };
const targetWithBudgets = { model: "gemini-2.5-flash", defaultMaxTokens: 1000 };
const parse = (body: JsonRecord) => contentWire.client.read(body, { model: "m" });
const render = renders(contentWire, targetWithLevels);

const upperCaseSchema = { type: "OBJECT", properties: { city: { type: "STRING" } }, required: ["city"] };
const round = {
  systemInstruction: { parts: [{ text: "Be brief." }] },
  generationConfig: { maxOutputTokens: 300, thinkingConfig: { thinkingLevel: "LOW", includeThoughts: true } },
  tools: [{ functionDeclarations: [{ name: "get_weather", description: "Weather now", parameters: upperCaseSchema }] }],
  toolConfig: { functionCallingConfig: { mode: "AUTO" } },
  contents: [
    {
      role: "user",
      parts: [{ text: "Weather in this city?" }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
    },
    {
      role: "model",
      parts: [
        { text: "I check." },
        {
          functionCall: { id: "call_1", name: "get_weather", args: { city: "Oslo" } },
          thoughtSignature: "context_engineering_is_the_way_to_go",
        },
      ],
    },
    {
      role: "user",
      parts: [{ functionResponse: { id: "call_1", name: "get_weather", response: { temp: 4 } } }],
    },
  ],
};
const roundRequest: TextRequest = {
  cacheMode: "automatic",
  ...toolRound,
  reasoning: { effort: "low", show: "summary" },
};

test("one tool round is parsed and rendered", () => {
  expect(parse(round)).toEqual({ request: roundRequest, dropped: [] });
  const { body, dropped } = contentWire.vendor.render(roundRequest, targetWithLevels);
  expect(dropped).toEqual([]);
  const declared = { name: "get_weather", description: "Weather now", parametersJsonSchema: weather };
  expect(body).toEqual({
    ...round,
    tools: [{ functionDeclarations: [declared] }],
    contents: JSON.parse(
      JSON.stringify(round.contents).replace(
        "context_engineering_is_the_way_to_go",
        "skip_thought_signature_validator",
      ),
    ),
  });
});

test.each(["minimal", "low", "medium", "high", "xhigh"])("the thinking level %s becomes an effort", (effort) => {
  const generationConfig = { thinkingConfig: { thinkingLevel: effort.toUpperCase() } };
  expect(parse({ ...round, generationConfig }).request.reasoning).toEqual({ effort });
});

test("names in snake_case are accepted", () => {
  const snake = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(snake);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        snake(each),
      ]),
    );
  };
  expect(parse(snake(round) as JsonRecord)).toEqual({ request: roundRequest, dropped: [] });
});

const ownSignature = signatureWith("content", "thoughtSignature");
const signedText: Part | fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("text"),
  text: word,
  signature: ownSignature,
});
const reasoningPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("reasoning"),
  text: word,
  signature: ownSignature,
});
const signedImage: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("image"),
  source: imageBytes,
  signature: ownSignature,
});
const file: fc.Arbitrary<Part> = fc.record({ kind: fc.constant("file"), source: fileBytes });
const media: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { kind: "video", source: { kind: "file-id", wire: "content", id: "gs://b/v", mediaType: "video/mp4" } },
  { kind: "audio", source: { kind: "base64", mediaType: "audio/wav", data: "AAAA" } },
  { kind: "image", source: { kind: "url", url: "https://pictures.example/1", mediaType: "image/png" } },
);
const vendorPart: fc.Arbitrary<Part> = fc.constant({
  kind: "vendor",
  wire: "content",
  value: { executableCode: { language: "PYTHON", code: "1" } },
});
const signedCall = fc.tuple(functionCall, ownSignature).map(([call, signed]) => ({ ...call, signature: signed }));

const resultParts = fc.oneof(
  fc
    .oneof(
      word,
      json.map((value) => JSON.stringify(value)),
      fc.constantFrom("4", "null", '"x"', "[1]", '{"output":1}', '{"error":"x"}'),
    )
    .map((text) => [{ kind: "text" as const, text }]),
  fc.tuple(
    word.map((text) => ({ kind: "text" as const, text })),
    fc.record({ kind: fc.constant("image" as const), source: imageBytes }),
  ),
);
const turns = dialogue(
  fc.oneof(textPart, plainImage, file, media),
  fc.oneof(textPart, signedText, reasoningPart, plainImage, signedImage, vendorPart),
  fc.oneof(functionCall, signedCall),
  resultParts,
);
const fields = record({
  ...sampling,
  tools: fc.array(functionTool, { minLength: 1, maxLength: 3 }),
  maxTokens: fc.integer({ min: 1, max: 9999 }),
  stop: fc.array(word, { minLength: 1, maxLength: 5 }),
  format: fc.oneof(
    fc.constant({ kind: "json" as const }),
    fc.record({ kind: fc.constant("schema" as const), schema: json }),
  ),
  reasoning: fc.record({
    effort: fc.constantFrom("minimal", "low", "medium", "high"),
    show: fc.constantFrom("none", "summary"),
  }),
  topK: fc.nat(99),
  presencePenalty: fc.constantFrom(0, 1),
  frequencyPenalty: fc.constantFrom(0, 1),
  seed: fc.nat(),
  choices: fc.integer({ min: 1, max: 4 }),
  logProbabilities: fc.nat(5).map((alternatives) => ({ alternatives })),
  modalities: fc.constantFrom(["text"], ["text", "image"], ["audio"]),
  image: record({ aspectRatio: fc.constant("16:9"), size: fc.constant("2K") }),
  audio: fc.constant({ voice: "Kore" }),
}) as fc.Arbitrary<Partial<TextRequest>>;
const withChoice = fields.chain((drawnFields) =>
  fc
    .constantFrom<TextRequest["toolChoice"]>(
      undefined,
      { mode: "required", names: ["f"] },
      { mode: "auto", names: ["f"] },
      { mode: "none" },
    )
    .map((toolChoice) => ({
      ...drawnFields,
      ...(drawnFields.tools !== undefined && toolChoice !== undefined ? { toolChoice } : {}),
    })),
);

test("a request that this wire can express is unchanged after rendering and parsing", () => {
  fc.assert(
    fc.property(request(turns, withChoice), (drawnRequest) => {
      const { body, dropped } = contentWire.vendor.render(drawnRequest, targetWithLevels);
      expect(dropped).toEqual([]);
      const path = { model: "theirs", stream: drawnRequest.stream };
      const parsedBody = contentWire.client.read(JSON.parse(JSON.stringify(body)), path);
      expect(parsedBody.dropped).toEqual([]);
      expect(parsedBody.request).toEqual({
        ...drawnRequest,
        cacheMode: "automatic",
        turns: merged(drawnRequest.turns).map(withJoinedTexts),
      });
    }),
  );
});

/** Joins the model's adjacent texts, because SDKs send the pieces of a stream back. */
function withJoinedTexts(turn: Turn): Turn {
  if (turn.role === "user") return turn;
  const parts: Part[] = [];
  for (const part of turn.parts) {
    const last = parts.at(-1);
    if (part.kind === "text" && last?.kind === "text" && last.signature === undefined)
      parts[parts.length - 1] = { ...part, text: last.text + part.text };
    else parts.push(part);
  }
  return { ...turn, parts };
}

test("the pieces of a stream, which SDKs send back as contents, are one message", () => {
  const model = (part: JsonRecord): JsonRecord => ({ role: "model", parts: [part] });
  const call = model({ functionCall: { id: "c", name: "f", args: {} } });
  const signed = model({ text: "", thoughtSignature: "AA==" });
  const user = { role: "user", parts: [{ text: "Hi" }] };
  const messagesOf = (contents: readonly JsonRecord[]): unknown => {
    const { request } = contentWire.client.read({ contents }, { model: "m", stream: false });
    return chatWire.vendor.render(request, targetWithLevels).body["messages"];
  };
  const toolCalls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
  const results = { role: "tool", tool_call_id: "c", content: "no result was given" };
  expect(messagesOf([user, model({ text: "Hel" }), model({ text: "" }), model({ text: "lo" }), signed, call])).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello", tool_calls: toolCalls },
    results,
  ]);
  expect(messagesOf([user, signed, call])).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls: toolCalls },
    results,
  ]);
  expect(messagesOf([user, signed, model({ text: "" })])).toEqual([{ role: "user", content: "Hi" }]);
});

/** A stream does not show the end of a text without a signature. */
const joined = (parts: readonly Part[]): readonly Part[] =>
  parts.filter((part, index) => {
    const before = parts[index - 1];
    return part.kind !== "text" || before?.kind !== "text" || before.signature !== undefined;
  });
const answers = answer(
  fc
    .array(
      fc.oneof(textPart, signedText, reasoningPart, plainImage, signedImage, vendorPart, functionCall, signedCall),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    .map((parts) => joined(joined(parts.filter((part, at) => part.kind !== "text" || parts[at - 1]?.kind !== "text")))),
  fc.constantFrom("stop", "length", "filtered", "malformed-tool-call", "other"),
).map((whole) => ({ ...whole, model: "mine" }));

describe("answers", () => {
  testsOfAnswers({ wire: contentWire, answered: answers, expected: (whole) => whole });

  test("the JSON array has the same pieces as the events", () => {
    fc.assert(
      fc.property(answers, (whole) => {
        const pieces = framesOf(written(contentWire.client.stream(contextFor()), whole)).map(({ data }) =>
          JSON.parse(data),
        );
        expect(JSON.parse(written(contentWire.client.array.stream(contextFor()), whole))).toEqual(pieces);
        const last = pieces.at(-1);
        expect(last.candidates[0].finishReason).toBeTypeOf("string");
        for (const piece of pieces.slice(0, -1)) expect(piece.candidates[0]).not.toHaveProperty("finishReason");
        if (whole.usage !== undefined) expect(contentUsage(last.usageMetadata)).toEqual(whole.usage);
      }),
    );
  });

  test("several candidates end together", () => {
    const whole = {
      id: "resp_abc",
      model: "mine",
      createdAt: 0,
      choices: [
        { parts: [{ kind: "text" as const, text: "a" }], finish: "stop" as const },
        { parts: [{ kind: "text" as const, text: "b" }], finish: "length" as const },
      ],
    };
    expect(readBack(contentWire.vendor.stream(), written(contentWire.client.stream(contextFor()), whole))).toEqual(
      whole,
    );
  });

  test("log probabilities and citations are kept", () => {
    const part: Part = {
      kind: "text",
      text: "Hi",
      citations: [{ url: "https://a.example", title: "A" }],
      logProbabilities: [{ token: "Hi", logProbability: -0.1, alternatives: [{ token: "Ho", logProbability: -2 }] }],
    };
    const whole = {
      id: "resp_abc",
      model: "mine",
      createdAt: 0,
      choices: [{ parts: [part], finish: "stop" as const }],
    };
    expect(contentWire.vendor.parse(contentWire.client.render(whole, contextFor()))).toEqual(whole);
    expect(readBack(contentWire.vendor.stream(), written(contentWire.client.stream(contextFor()), whole))).toEqual(
      whole,
    );
  });
});

describe("answers of vendors", () => {
  test("reasoning, text, an image and a call are parsed", () => {
    const body = {
      candidates: [
        {
          index: 0,
          finishReason: "STOP",
          content: {
            role: "model",
            parts: [
              { text: "plan", thought: true },
              { text: "Here" },
              { inlineData: { mimeType: "image/png", data: "iVBO" }, thoughtSignature: "CpcB" },
              { functionCall: { name: "get_weather", args: { city: "Oslo" } }, thoughtSignature: "CrQ" },
            ],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 1290, thoughtsTokenCount: 55 },
      modelVersion: "gen",
      responseId: "Zx1",
    };
    const { choices, usage } = contentWire.vendor.parse(body);
    expect(choices[0]?.finish).toBe("tool-calls");
    expect(usage).toEqual({ inputTokens: 12, outputTokens: 1345, reasoningTokens: 55 });
    expect(choices[0]?.parts).toEqual([
      { kind: "reasoning", text: "plan" },
      { kind: "text", text: "Here" },
      {
        kind: "image",
        source: { kind: "base64", mediaType: "image/png", data: "iVBO" },
        signature: { wire: "content", kind: "thoughtSignature", value: "CpcB" },
      },
      {
        kind: "tool-call",
        id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
        name: "get_weather",
        arguments: '{"city":"Oslo"}',
        signature: { wire: "content", kind: "thoughtSignature", value: "CrQ" },
      },
    ]);
  });

  test.each([
    [{ promptFeedback: { blockReason: "SAFETY" } }, "filtered"],
    [{ candidates: [{ finishReason: "MAX_TOKENS", content: { role: "model" } }] }, "length"],
    [{ candidates: [{ finishReason: "IMAGE_SAFETY" }] }, "filtered"],
    [{ candidates: [{ finishReason: "MODEL_ARMOR" }] }, "filtered"],
    [{ candidates: [{ finishReason: "UNEXPECTED_TOOL_CALL" }] }, "malformed-tool-call"],
    [{ candidates: [{ finishReason: "MALFORMED_RESPONSE" }] }, "malformed-tool-call"],
    [{ candidates: [{ finishReason: "MISSING_THOUGHT_SIGNATURE" }] }, "malformed-tool-call"],
    [{ candidates: [{ finishReason: "ESCALATION" }] }, "other"],
    [{ candidates: [{ finishReason: "SOMETHING_NEW" }] }, "stop"],
    [{ candidates: [{ finishReason: "constructor" }] }, "stop"],
  ])("%j ends as %s, complete or streamed", (body, finish) => {
    expect(contentWire.vendor.parse(body).choices).toEqual([{ parts: [], finish }]);
    const reader = contentWire.vendor.stream();
    expect(readBack(reader, `data: ${JSON.stringify(body)}\r\n\r\n`).choices).toEqual([{ parts: [], finish }]);
    expect(reader.isComplete).toBe(true);
  });

  test("an answer without candidates is the vendor's error", () => {
    expect(() => contentWire.vendor.parse({})).toThrow(expect.objectContaining({ code: "upstream_error" }));
  });

  test("sources of a search become citations", () => {
    const body = {
      candidates: [
        {
          content: { parts: [{ text: "It rains." }] },
          groundingMetadata: {
            groundingChunks: [{ web: { uri: "https://w.example", title: "W" } }],
            groundingSupports: [{ segment: { text: "It rains." }, groundingChunkIndices: [0, 7] }],
          },
        },
      ],
    };
    expect(contentWire.vendor.parse(body).choices[0]?.parts).toEqual([
      {
        kind: "text",
        text: "It rains.",
        citations: [{ url: "https://w.example", title: "W", citedText: "It rains." }],
      },
    ]);
  });

  test("an error in a stream is a failure; a cut stream is incomplete", () => {
    const reader = contentWire.vendor.stream();
    const frame = (body: object): string => `data: ${JSON.stringify(body)}\r\n\r\n`;
    const events = eventsOf(
      reader,
      frame({ candidates: [{ content: { parts: [{ text: "x" }] } }] }) +
        frame({ error: { code: 503, status: "UNAVAILABLE", message: "later" } }),
    );
    expect(events.map(({ type }) => type)).toEqual(["start", "part-start", "part-delta", "failure", "part-end"]);
    expect(events[3]).toEqual({ type: "failure", code: "UNAVAILABLE", message: "later", status: 503 });
    expect(reader.isComplete).toBe(false);
  });
});

test.each([
  [
    { promptTokenCount: 1000, cachedContentTokenCount: 600, candidatesTokenCount: 50, thoughtsTokenCount: 30 },
    { inputTokens: 400, cachedInputTokens: 600, outputTokens: 80, reasoningTokens: 30 },
  ],
  [
    { promptTokenCount: 10, toolUsePromptTokenCount: 5, candidatesTokenCount: 1 },
    { inputTokens: 15, outputTokens: 1 },
  ],
  [
    {
      promptTokenCount: 50,
      promptTokensDetails: [{ modality: "AUDIO", tokenCount: 40 }],
      candidatesTokenCount: 9,
      candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 9 }],
    },
    { inputTokens: 10, inputAudioTokens: 40, outputTokens: 0, outputAudioTokens: 9 },
  ],
  [
    {
      promptTokenCount: 600,
      cachedContentTokenCount: 258,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 84 },
        { modality: "IMAGE", tokenCount: 516 },
      ],
      cacheTokensDetails: [{ modality: "IMAGE", tokenCount: 258 }],
      candidatesTokenCount: 1_130,
      candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_120 }],
      thoughtsTokenCount: 90,
    },
    {
      inputTokens: 84,
      cachedInputTokens: 258,
      inputImageTokens: 258,
      outputTokens: 100,
      reasoningTokens: 90,
      outputImageTokens: 1_120,
    },
  ],
  [
    { promptTokenCount: 10, cachedContentTokenCount: 99 },
    { inputTokens: 0, cachedInputTokens: 99, outputTokens: 0 },
  ],
  [undefined, undefined],
  [{}, undefined],
])("usage %j", (usage, units) => {
  expect(contentUsage(usage)).toEqual(units);
});

test("rendered usage separates text, audio and images", () => {
  const units = { inputTokens: 5, inputImageTokens: 258, outputTokens: 9, reasoningTokens: 4, outputImageTokens: 20 };
  const rendered = renderUsage(units);
  expect(rendered).toEqual({
    promptTokenCount: 263,
    candidatesTokenCount: 25,
    thoughtsTokenCount: 4,
    totalTokenCount: 292,
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: 5 },
      { modality: "IMAGE", tokenCount: 258 },
    ],
    candidatesTokensDetails: [
      { modality: "TEXT", tokenCount: 5 },
      { modality: "IMAGE", tokenCount: 20 },
    ],
  });
  expect(contentUsage(rendered)).toEqual(units);
});

describe("calls without ids", () => {
  const contents = [
    { role: "user", parts: [{ text: "x" }] },
    { role: "model", parts: [{ functionCall: { name: "f", args: {} } }, { functionCall: { name: "f", args: {} } }] },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "f", response: { n: 1 } } },
        { functionResponse: { name: "f", response: { n: 2 } } },
      ],
    },
    { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
  ];

  test("get ids that pair with results in order, differ by position, and stay the same as the dialogue grows", () => {
    const ids = (count: number): readonly string[] =>
      parse({ contents: contents.slice(0, count) }).request.turns.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.kind === "tool-call" ? [part.id] : part.kind === "tool-result" ? [part.callId] : [],
        ),
      );
    const [first, second, answerFirst, answerSecond, third] = ids(4);
    expect([answerFirst, answerSecond]).toEqual([first, second]);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(ids(3)).toEqual(ids(4).slice(0, 4));
  });

  test("a result's missing name is found by its id", () => {
    const named = parse({
      contents: [
        { role: "model", parts: [{ functionCall: { id: "c", name: "f" } }] },
        { parts: [{ functionResponse: { id: "c", response: {} } }] },
      ],
    });
    expect(named.request.turns[1]?.parts[0]).toMatchObject({ callId: "c", name: "f" });
  });
});

describe("thinking", () => {
  test.each([
    ["gemini-3-flash", ["reasoning"]],
    ["gemini-3-pro-preview", ["reasoning"]],
    ["gemini-2.5-pro", ["reasoning"]],
    ["gemini-3.8-flash", ["reasoning"]],
    ["gemini-2.5-flash", []],
  ])("%s: the setting off is dropped and named where thinking cannot stop: %j", (model, dropped) => {
    expect(render({ reasoning: { effort: "none" } }, { ...targetWithLevels, model }).dropped).toEqual(dropped);
  });

  test.each<readonly [string, TextRequest["reasoning"], JsonRecord | undefined]>([
    ["gemini-3-flash", { effort: "none" }, { thinkingLevel: "MINIMAL" }],
    ["gemini-3-flash", { effort: "max", show: "none" }, { thinkingLevel: "HIGH", includeThoughts: false }],
    ["gemini-3-pro-preview", { effort: "medium" }, { thinkingLevel: "HIGH", includeThoughts: true }],
    ["gemini-3.1-pro-preview", { effort: "medium" }, { thinkingLevel: "MEDIUM", includeThoughts: true }],
    ["gemini-3.8-flash", { effort: "minimal" }, { thinkingLevel: "LOW", includeThoughts: true }],
    ["gemini-3.7-flash", { effort: "none" }, { thinkingLevel: "LOW" }],
    ["gemini-3.6-flash", { effort: "minimal" }, { thinkingLevel: "MINIMAL", includeThoughts: true }],
    ["gemini-4-argon", { effort: "xhigh" }, { thinkingLevel: "HIGH", includeThoughts: true }],
    ["gemini-3.1-flash-lite-image", { effort: "low" }, { thinkingLevel: "MINIMAL", includeThoughts: true }],
    ["gemini-flash-latest", { effort: "minimal" }, { thinkingLevel: "LOW", includeThoughts: true }],
    ["gemini-3.1-flash", { budgetTokens: 2048, show: "full" }, { thinkingLevel: "LOW", includeThoughts: true }],
    ["gemini-2.5-flash", { effort: "xhigh" }, { thinkingBudget: 24_576, includeThoughts: true }],
    ["gemini-2.5-pro", { effort: "none" }, { thinkingBudget: 128 }],
    ["gemini-2.5-flash", { budgetTokens: -1 }, { thinkingBudget: -1 }],
    ["gemini-2.5-flash", { budgetTokens: 0 }, { thinkingBudget: 0 }],
    ["gemini-2.5-flash", {}, undefined],
  ])("%s, %j", (model, reasoning, thinkingConfig) => {
    const { body } = render({ reasoning }, { ...targetWithLevels, model });
    expect(body["generationConfig"]).toEqual(thinkingConfig === undefined ? undefined : { thinkingConfig });
  });
});

describe("a level that the model refuses is replaced, and named", () => {
  test.each<[string, TextRequest["reasoning"], readonly string[]]>([
    ["gemini-3-pro-preview", { effort: "medium" }, ["reasoning"]],
    ["gemini-3.1-pro-preview", { effort: "medium" }, []],
    ["gemini-3.8-flash", { effort: "minimal" }, ["reasoning"]],
    ["gemini-3-flash", { effort: "minimal" }, []],
    ["gemini-4-carbon", { effort: "max" }, ["reasoning"]],
  ])("%s, %j: %j", (model, reasoning, dropped) => {
    expect(render({ reasoning }, { ...targetWithLevels, model }).dropped).toEqual(dropped);
    const greeting = { model: "m", stream: false, instructions: [], turns: [] };
    const interactions = wires.interactions.vendor.render({ ...greeting, reasoning }, { model, defaultMaxTokens: 9 });
    expect(interactions.dropped).toEqual(dropped);
  });

  test.each([
    ["content", { generationConfig: { thinkingConfig: { thinkingLevel: "MINIMAL" } } }, "LOW"],
    ["content", { generation_config: { thinking_config: { thinking_level: "minimal" } } }, "low"],
    ["interactions", { generation_config: { thinking_level: "minimal" } }, "low"],
  ] as const)("a passed request of %s: %j", (wire, config, level) => {
    const body = Buffer.from(JSON.stringify({ labels: {}, ...config }));
    const pass: TextPass = wires[wire].pass;
    const fit = (model: string) => {
      const steps = pass.fit?.(body, { model, foreignItems: new Set() });
      if (steps === undefined) throw new Error("the wire fits requests");
      return runToEnd(steps);
    };
    expect(fit("gemini-3-flash")).toEqual({ body, dropped: [] });
    const { body: fitted, dropped } = fit("gemini-3.8-flash");
    expect(fitted.toString()).toBe(body.toString().replace(/minimal/i, level));
    expect(dropped).toEqual([expect.stringMatching(/thinking_?level$/i)]);
  });
});

describe("signatures", () => {
  const foreign = { wire: "messages", kind: "signature", value: "c2lnbmVk" } as const;

  test("a signature of another vendor passes through a client and is sent to no other vendor", () => {
    const part: Part = { kind: "reasoning", text: "hm", signature: foreign };
    const whole = { id: "", model: "", createdAt: 0, choices: [{ parts: [part], finish: "stop" as const }] };
    const body = contentWire.client.render(whole, contextFor());
    const [candidate] = body["candidates"] as readonly [{ content: unknown }];
    const { request } = parse({ contents: [JSON.parse(JSON.stringify(candidate.content))] });
    expect(request.turns).toEqual([{ role: "assistant", parts: [part] }]);
    const again = render({ turns: request.turns });
    expect(again.dropped).toEqual(["turn.reasoning"]);
    expect(JSON.stringify(again.body)).not.toContain("c2lnbmVk");
  });

  test("a call without its signature gets the placeholder, on the first call of a step, where models need it", () => {
    const call = (id: string): Part => ({ kind: "tool-call", id, name: "f", arguments: "{}" });
    const turns = [{ role: "assistant" as const, parts: [call("a"), call("b")] }];
    const dummies = (target: typeof targetWithLevels) =>
      JSON.stringify(render({ turns }, target).body).match(/skip_thought_signature_validator/g)?.length;
    expect(dummies(targetWithLevels)).toBe(1);
    expect(dummies(targetWithBudgets)).toBeUndefined();
  });
});

test("arguments that are not an object are sent raw; absent arguments become an empty object", () => {
  const args = (text: string) => {
    const part: Part = { kind: "tool-call", id: "c", name: "f", arguments: text };
    return render({ turns: [{ role: "assistant", parts: [part] }] }).body;
  };
  expect(args("not json")).toMatchObject({
    contents: [{}, { parts: [{ functionCall: { args: { _raw: "not json" } } }] }, {}],
  });
  expect(args("")).toMatchObject({ contents: [{}, { parts: [{ functionCall: { args: {} } }] }, {}] });
});

test("images in results are placed next to the results for older models", () => {
  const part: Part = {
    kind: "tool-result",
    callId: "c",
    name: "f",
    parts: [
      { kind: "text", text: "ok" },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
    ],
  };
  const [older, newer] = [targetWithBudgets, targetWithLevels].map((target) =>
    render({ turns: [{ role: "user", parts: [part] }] }, target),
  );
  const inlineData = { mimeType: "image/png", data: "AA==" };
  expect(older?.body).toMatchObject({ contents: [{ parts: [{ functionResponse: { name: "f" } }, { inlineData }] }] });
  expect(newer?.body).toMatchObject({ contents: [{ parts: [{ functionResponse: { parts: [{ inlineData }] } }] }] });
});

test("instructions without turns become a user turn; instructions between turns move to the front", () => {
  expect(render({ instructions: [{ kind: "text", text: "s" }] }).body).toEqual({
    contents: [{ role: "user", parts: [{ text: "s" }] }],
  });
  const middle = render({
    turns: [
      { role: "user", parts: [{ kind: "text", text: "a" }] },
      { role: "system", parts: [{ kind: "text", text: "s" }] },
    ],
  });
  expect(middle.body).toMatchObject({ systemInstruction: { parts: [{ text: "s" }] } });
  expect(middle.dropped).toEqual(["turn.system-place"]);
});

describe("invalid requests", () => {
  const contents = [{ parts: [{ text: "hi" }] }];
  test.each([
    ["a stored cache", { cachedContent: "cachedContents/1" }, "unsupported_parameter", "cachedContent"],
    [
      "an answer as an enum",
      { generationConfig: { responseMimeType: "text/x.enum" } },
      "unsupported_parameter",
      "generationConfig.responseMimeType",
    ],
    [
      "several speakers",
      { generationConfig: { speechConfig: { multiSpeakerVoiceConfig: {} } } },
      "unsupported_parameter",
      "generationConfig.speechConfig",
    ],
    ["a wrong role", { contents: [{ role: "judge" }] }, "invalid_value", "contents[0].role"],
    [
      "a wrong number",
      { generationConfig: { maxOutputTokens: 0 } },
      "invalid_value",
      "generationConfig.maxOutputTokens",
    ],
    [
      "a wrong modality",
      { generationConfig: { responseModalities: ["SMELL"] } },
      "invalid_value",
      "generationConfig.responseModalities",
    ],
    [
      "a nameless function",
      { tools: [{ functionDeclarations: [{}] }] },
      "missing_required_parameter",
      "tools[0].functionDeclarations[0].name",
    ],
  ])("%s", (_, body, code, param) => {
    expect(() => parse({ contents, ...body })).toThrow(expect.objectContaining({ code, param }));
  });

  test.each([
    [{ safetySettings: [{ category: "X" }], labels: {} }, ["safetySettings", "labels"]],
    [{ generationConfig: { mediaResolution: "LOW" } }, ["generationConfig.mediaResolution"]],
    [{ contents: [{ parts: [{ text: "x", videoMetadata: {} }] }] }, ["contents[].parts[].videoMetadata"]],
    [{ tools: [{ googleSearch: {} }, { googleMaps: {} }] }, []],
  ])("%j drops %j", (body, dropped) => {
    expect(parse({ contents, ...body }).dropped).toEqual(dropped);
  });
});

describe("fields that vendors of this wire do not support", () => {
  const userTurn = (part: Part): Partial<TextRequest> => ({ turns: [{ role: "user", parts: [part] }] });
  test.each<readonly [string, Partial<TextRequest>, string]>([
    ["six stops", { stop: ["1", "2", "3", "4", "5", "6"] }, "stop"],
    [
      "another vendor's tool",
      { tools: [{ kind: "vendor", wire: "responses", name: "file_search", definition: {} }] },
      "tools: file_search",
    ],
    ["an invalid name", { tools: [{ kind: "function", name: "1-2" }] }, "tools"],
    [
      "another vendor's file",
      userTurn({ kind: "file", source: { kind: "file-id", wire: "responses", id: "f" } }),
      "file ids of another vendor",
    ],
    [
      "a result without its call",
      userTurn({ kind: "tool-result", callId: "c", parts: [] }),
      "a tool result without its call",
    ],
  ])("%s is refused", (_, fields, param) => {
    expect(() => render(fields)).toThrow(expect.objectContaining({ code: "unsupported_parameter", param }));
  });

  test.each<readonly [Partial<TextRequest>, readonly string[]]>([
    [
      { parallelTools: false, logitBias: {}, user: "u", metadata: {} },
      ["parallelTools", "logitBias", "user", "metadata"],
    ],
    [{ parallelTools: true }, []],
    [{ tools: [{ kind: "function", name: "f", strict: true }] }, ["tools.strict"]],
    [{ tools: [{ kind: "web-search", wire: "responses", options: {} }] }, []],
    [{ tools: [{ kind: "web-search", wire: "responses", options: {} }], toolChoice: { mode: "auto" } }, ["toolChoice"]],
    [
      userTurn({ kind: "image", source: { kind: "url", url: "https://a.example/x.png" }, detail: "low" }),
      ["image.detail"],
    ],
  ])("%j drops %j", (fields, dropped) => {
    expect(render(fields).dropped).toEqual(dropped);
  });
});

describe("a broken stream", () => {
  const firstEvents: readonly TextEvent[] = [
    { type: "part-start", choice: 0, part: 0, opened: { kind: "text" } },
    { type: "part-delta", choice: 0, part: 0, text: "Hal" },
  ];

  test("ends with an error piece and a closed array", () => {
    for (const make of [contentWire.client.stream, contentWire.client.array.stream]) {
      const writer = make(contextFor());
      const text =
        firstEvents.map((event) => writer.write(event)).join("") +
        writer.heartbeat() +
        writer.fail(new Failure("upstream_timeout"), "req");
      const pieces: readonly JsonRecord[] = text.startsWith("[")
        ? JSON.parse(text)
        : framesOf(text).map(({ data }) => JSON.parse(data));
      expect(pieces.at(-1)).toMatchObject({ error: { code: 504, status: "DEADLINE_EXCEEDED" } });
      const signs = pieces.filter((piece) => isDeepStrictEqual(piece, emptyPiece));
      expect(pieces.length - signs.length).toBe(2);
    }
  });
});

test.each([
  [upperCaseSchema, weather],
  [
    { type: "STRING", nullable: true, enum: ["a"] },
    { type: ["string", "null"], enum: ["a", null] },
  ],
  [
    { type: "ARRAY", items: { type: "INTEGER" }, minItems: "2" },
    { type: "array", items: { type: "integer" }, minItems: 2 },
  ],
  [{ anyOf: [{ type: "STRING" }], nullable: true }, { anyOf: [{ anyOf: [{ type: "string" }] }, { type: "null" }] }],
  [
    { type: "OBJECT", properties: { type: { type: "STRING" } }, propertyOrdering: ["type"] },
    { type: "object", properties: { type: { type: "string" } } },
  ],
  [weather, weather],
])("the vendor's schema %j is JSON Schema %j", (schema, plain) => {
  expect(toJsonSchema(schema)).toEqual(plain);
});

test("a call over the size limit fails", () => {
  const writer = contentWire.client.stream(contextFor());
  writer.write({ type: "part-start", choice: 0, part: 0, opened: { kind: "tool-call", id: "c", name: "f" } });
  expect(() =>
    writer.write({ type: "part-delta", choice: 0, part: 0, text: "x".repeat(maxBufferedCharacters + 1) }),
  ).toThrow(expect.objectContaining({ code: "upstream_error" }));
});

/** Piece with an empty text. Chats of Google's SDKs forget a turn if one of its pieces has no parts. */
const emptyPiece = { candidates: [{ content: { role: "model", parts: [{ text: "" }] }, index: 0 }] };

// Gemini CLI 0.61 and google-genai for Python parse every line of a stream as data, so a comment would fail.
test("a heartbeat is a piece with an empty text, not a comment", () => {
  for (const sign of [contentWire.client.stream(contextFor()).heartbeat(), contentPass.heartbeat]) {
    expect(sign).toMatch(/^data: .*\r\n\r\n$/);
    expect(JSON.parse(sign.slice("data: ".length))).toEqual(emptyPiece);
  }
});
