import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mostHeld } from "../src/text/chat/choice-writer.ts";
import { fates } from "../src/text/chat/fates.ts";
import { chatCodec } from "../src/text/chat/index.ts";
import { chatUsage, renderUsage } from "../src/text/chat/usage.ts";
import type { TextAnswer, TextEvent } from "../src/text/hub/answer.ts";
import { fatesTable } from "../src/text/hub/fates.ts";
import type { Part, Seal } from "../src/text/hub/part.ts";
import { efforts, type JsonObject, type TextRequest } from "../src/text/hub/request.ts";
import {
  answer,
  dialogue,
  functionCall,
  functionTool,
  imageBytes,
  json,
  merged,
  record,
  request,
  sampling,
  seal,
  textPart,
  units,
  word,
} from "./arbitraries.ts";
import { contextFor, eventsOf, framesOf, readBack, written } from "./harness.ts";

/** A vendor that has the newest fields, and one that has the older ones. */
const newest = { model: "gpt-5.1", defaultMaxTokens: 1000 };
const older = { model: "theirs", defaultMaxTokens: 1000 };
const messages = [{ role: "user", content: "hi" }];
const parse = (body: JsonObject) => chatCodec.parseRequest({ model: "m", messages, ...body }, {});
const render = (fields: Partial<TextRequest>, target = older) =>
  chatCodec.renderRequest({ model: "m", stream: false, instructions: [], turns: [], ...fields }, target);
const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

const weather = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const round = {
  model: "m",
  max_tokens: 300,
  reasoning_effort: "low",
  parallel_tool_calls: false,
  tool_choice: "auto",
  tools: [{ type: "function", function: { name: "get_weather", description: "Weather now", parameters: weather } }],
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Weather in this city?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      ],
    },
    {
      role: "assistant",
      content: "I check.",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: '{"temp":4}' },
  ],
};
const roundRequest: TextRequest = {
  model: "m",
  stream: false,
  instructions: [{ kind: "text", text: "Be brief." }],
  tools: [{ kind: "function", name: "get_weather", description: "Weather now", parameters: weather }],
  toolChoice: { mode: "auto" },
  parallelTools: false,
  maxTokens: 300,
  reasoning: { effort: "low" },
  turns: [
    {
      role: "user",
      parts: [
        { kind: "text", text: "Weather in this city?" },
        { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } },
      ],
    },
    {
      role: "assistant",
      parts: [
        { kind: "text", text: "I check." },
        { kind: "tool-call", id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
      ],
    },
    {
      role: "user",
      parts: [
        {
          kind: "tool-result",
          callId: "call_1",
          name: "get_weather",
          parts: [{ kind: "text", text: '{"temp":4}' }],
        },
      ],
    },
  ],
};

test("one tool round, read and written", () => {
  expect(chatCodec.parseRequest(round, {})).toEqual({ request: roundRequest, dropped: [] });
  expect(chatCodec.renderRequest(roundRequest, { ...older, model: "m" })).toEqual({ body: round, dropped: [] });
});

/** What a vendor of this wire seals itself, as one that tells thoughts in details does. */
const ownSeal: fc.Arbitrary<Seal> = word.map((data) => ({
  wire: "chat",
  kind: "reasoning_details",
  value: JSON.stringify([{ type: "reasoning.encrypted", data, index: 0 }]),
}));
const signature = seal("chat", "thought_signature");
const sealedCall = fc.oneof(
  functionCall,
  fc.tuple(functionCall, signature).map(([call, seal]) => ({ ...call, seal })),
);
const customCall = functionCall.map((call) => ({ ...call, custom: true }));
const image: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant("image" as const), source: imageBytes }),
  fc.record({ kind: fc.constant("image" as const), source: imageBytes, detail: fc.constantFrom("low", "high") }),
);
const outputImage: fc.Arbitrary<Part> = fc.record({ kind: fc.constant("image"), source: imageBytes });
const pdf: fc.Arbitrary<Part> = word.map((name) => ({
  kind: "file",
  source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
  name,
}));
const media: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { kind: "audio", source: { kind: "base64", mediaType: "audio/mpeg", data: "AAAA" } },
  { kind: "video", source: { kind: "url", url: "https://v.example/1.mp4" } },
);
const refusal: fc.Arbitrary<Part> = word.map((text) => ({ kind: "refusal", text }));
const speech: fc.Arbitrary<Part> = fc.constant({ kind: "vendor", wire: "chat", value: { audio: { id: "audio_1" } } });

/** The parts of a message of the model in the one order that this wire tells: at most one of what it joins. */
function inOrder(parts: readonly Part[]): readonly Part[] {
  const kinds = ["reasoning", "text", "image", "refusal", "tool-call", "vendor"] as const;
  const joined: ReadonlySet<Part["kind"]> = new Set(["reasoning", "text", "refusal", "vendor"]);
  return kinds.flatMap((kind) => {
    const all = parts.filter((part) => part.kind === kind);
    return joined.has(kind) ? all.slice(0, 1) : all;
  });
}
const ownThought: fc.Arbitrary<Part> = fc.record({ kind: fc.constant("reasoning"), text: word, seal: ownSeal });
const turns = dialogue(
  fc.oneof(textPart, image, pdf, media),
  fc.oneof(textPart, ownThought, outputImage, refusal, speech),
  fc.oneof(sealedCall, customCall),
  word.map((text) => [{ kind: "text" as const, text }]),
).map((all) => all.map((turn) => (turn.role === "assistant" ? { ...turn, parts: inOrder(turn.parts) } : turn)));
const fields: fc.Arbitrary<Partial<TextRequest>> = record({
  ...sampling,
  tools: fc.array(
    fc.oneof(
      functionTool,
      fc.record({ kind: fc.constant("custom" as const), name: fc.constant("free") }),
      fc.constant({ kind: "vendor" as const, wire: "chat" as const, name: "odd", definition: { type: "odd" } }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  maxTokens: fc.integer({ min: 1, max: 9999 }),
  stop: fc.array(word, { minLength: 1, maxLength: 4 }),
  reasoning: fc.record({ effort: fc.constantFrom(...efforts) }),
  format: fc.oneof(
    fc.constant({ kind: "json" as const }),
    fc.record({ kind: fc.constant("schema" as const), name: word, schema: json, strict: fc.boolean() }),
  ),
  presencePenalty: fc.constantFrom(0, -1),
  frequencyPenalty: fc.constantFrom(0, 2),
  seed: fc.integer(),
  choices: fc.integer({ min: 1, max: 3 }),
  logProbabilities: fc.nat(20).map((alternatives) => ({ alternatives })),
  logitBias: fc.constant({ "50256": -100 }),
  modalities: fc.constant(["text", "audio"]),
  audio: fc.constant({ voice: "alloy", format: "mp3" }),
  image: record({ aspectRatio: word, size: word }),
  verbosity: fc.constantFrom("low", "high"),
  cacheKey: word,
  cacheRetention: fc.constantFrom("24h"),
  metadata: json,
  user: word,
  safetyIdentifier: word,
  serviceTier: fc.constant("flex"),
  prediction: fc.constant({ type: "content", content: "x" }),
}).chain((drawn) => {
  const tools = fc.constantFrom<Partial<TextRequest>>(
    {},
    { toolChoice: { mode: "required" }, parallelTools: false },
    { toolChoice: { mode: "required", names: ["free"] } },
    { toolChoice: { mode: "auto", names: ["free", "odd"] }, parallelTools: true },
  );
  return tools.map((chosen) => ({ ...drawn, ...(drawn["tools"] === undefined ? {} : chosen) })) as fc.Arbitrary<
    Partial<TextRequest>
  >;
});

/** A vendor's own signature is Google's on this wire; from a client it is the one that Google's own wire gives. */
function asSeen(part: Part): Part {
  return part.kind === "tool-call" && part.seal?.kind === "thought_signature"
    ? { ...part, seal: { ...part.seal, wire: "content", kind: "thoughtSignature" } }
    : part;
}

/** Instructions are one message, and a stream is always asked for its usage. */
function asSaid(asked: TextRequest): TextRequest {
  const text = asked.instructions.map((part) => part.text).join("\n\n");
  return {
    ...asked,
    instructions: asked.instructions.length > 0 ? [{ kind: "text", text }] : [],
    turns: merged(asked.turns).map(({ role, parts }) => ({ role, parts: parts.map(asSeen) })),
    ...(asked.stream ? { includeUsage: true } : {}),
  };
}

test("a request that this wire can say survives it", () => {
  fc.assert(
    fc.property(request(turns, fields), (asked) => {
      const said = { ...asked, model: newest.model };
      const { body, dropped } = chatCodec.renderRequest(said, newest);
      expect(dropped).toEqual([]);
      const back = chatCodec.parseRequest(plain(body), {});
      expect(back.dropped).toEqual([]);
      expect({ ...back.request, turns: merged(back.request.turns) }).toEqual(asSaid(said));
    }),
  );
});

/** Seals of other wires: what clients of this one carry. */
const foreign = fc.oneof(seal("messages", "signature"), seal("content", "thoughtSignature"), seal("responses", "x"));
const optionalSeal = <Value extends object>(part: fc.Arbitrary<Value>) =>
  fc.oneof(
    part,
    fc.tuple(part, foreign).map(([value, seal]) => ({ ...value, seal })),
  );
const thoughts: fc.Arbitrary<readonly Part[]> = fc.oneof(
  fc.array(
    fc.record({ kind: fc.constant("reasoning" as const), text: fc.oneof(word, fc.constant("")), seal: foreign }),
    {
      maxLength: 3,
    },
  ),
  fc.tuple(fc.record({ kind: fc.constant("reasoning" as const), text: word })),
  fc.tuple(fc.record({ kind: fc.constant("reasoning" as const), text: word, seal: ownSeal })),
);
const texts: fc.Arbitrary<readonly Part[]> = fc.array(optionalSeal(textPart), { maxLength: 1 });
const answered = answer(
  fc
    .tuple(
      thoughts,
      texts,
      fc.array(optionalSeal(outputImage), { maxLength: 2 }),
      fc.array(refusal, { maxLength: 1 }),
      fc.array(fc.oneof(optionalSeal(functionCall), customCall, sealedCall), { maxLength: 3 }),
      fc.array(speech, { maxLength: 1 }),
    )
    .map((groups) => groups.flat())
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.map((part, index) => ("id" in part ? { ...part, id: `${part.id}${index}` } : part))),
  fc.constantFrom("stop", "length"),
).map((whole) => {
  const [choice] = whole.choices;
  const refused = choice?.parts.some(({ kind }) => kind === "refusal") === true && choice.finish === "stop";
  return refused && choice !== undefined ? { ...whole, choices: [{ ...choice, finish: "refused" as const }] } : whole;
});
const asAnswered = (whole: TextAnswer): TextAnswer => ({ ...whole, createdAt: 1_763_700_000 });
const wanting = contextFor({ includeUsage: true });

/** What stock clients make of deltas: texts are joined, entries of lists by their number, all else is replaced. */
function joined(before: unknown, delta: unknown, name = ""): unknown {
  if (before === null || before === undefined) return delta;
  if (typeof before === "string" && typeof delta === "string" && name !== "type") return before + delta;
  if (Array.isArray(before) && Array.isArray(delta))
    return delta.reduce((list: unknown[], entry) => {
      if (typeof entry.index !== "number") throw new Error("an entry without a number cannot be joined");
      const at = list.findIndex((each) => Object(each).index === entry.index);
      return at < 0 ? [...list, entry] : list.with(at, joined(list[at], entry));
    }, before);
  if (typeof before !== "object" || typeof delta !== "object" || delta === null) return delta ?? before;
  const grown = Object.entries(delta).map(([key, value]) => [key, joined(Reflect.get(before, key), value, key)]);
  return { ...before, ...Object.fromEntries(grown) };
}

describe("answers", () => {
  test("a whole one survives this wire", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        const body = chatCodec.renderAnswer(whole, wanting);
        expect(chatCodec.parseAnswer(plain(body))).toEqual(asAnswered(whole));
      }),
    );
  });

  test("a stream is read back as what was written", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        const reader = chatCodec.reader();
        const back = readBack(reader, written(chatCodec.writer(wanting), whole));
        const speechless = (all: TextAnswer): TextAnswer => ({
          ...all,
          choices: all.choices.map((choice) => ({
            ...choice,
            parts: choice.parts.map((part) => (part.kind === "vendor" ? { ...part, value: {} } : part)),
          })),
        });
        expect(speechless(back)).toEqual(speechless(asAnswered(whole)));
        expect(reader.whole).toBe(true);
      }),
    );
  });

  test("what a client keeps of a stream or an answer brings every seal back onto its part", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        const body = plain(chatCodec.renderAnswer(whole, wanting));
        const [choice] = body["choices"] as readonly { readonly message: JsonObject }[];
        const told = whole.choices[0]?.parts ?? [];
        const back = parse({ messages: [choice?.message ?? {}] }).request.turns;
        expect(back).toEqual([{ role: "assistant", parts: told.map(asSeen) }]);
        expect(JSON.stringify(render({ turns: back }).body)).not.toContain("bW9kZWxnYXRl");
      }),
    );
  });

  test("so does what a client joins of a stream", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        const frames = framesOf(written(chatCodec.writer(wanting), whole)).slice(0, -1);
        const deltas = frames.map(({ data }) => JSON.parse(data).choices[0]?.delta ?? {});
        const message = deltas.reduce<unknown>((before, delta) => joined(before, delta), {});
        const [turn] = parse({ messages: [message] }).request.turns;
        expect(turn?.parts).toEqual(whole.choices[0]?.parts.map(asSeen));
      }),
    );
  });

  test("chunks keep the wire's rules", () => {
    fc.assert(
      fc.property(answered, fc.boolean(), (whole, includeUsage) => {
        const frames = framesOf(written(chatCodec.writer(contextFor({ includeUsage })), whole)).map(({ data }) => data);
        expect(frames.at(-1)).toBe("[DONE]");
        const chunks = frames.slice(0, -1).map((data) => JSON.parse(data));
        for (const { id, object, created, model } of chunks)
          expect({ id, object, created, model }).toEqual({
            id: "resp_abc",
            object: "chat.completion.chunk",
            created: 1_763_700_000,
            model: "mine",
          });
        expect(chunks[0].choices[0].delta.role).toBe("assistant");
        const finishing = chunks.filter(({ choices }) => choices[0]?.finish_reason != null);
        expect(finishing.map(({ choices }) => choices[0].delta)).toEqual([{}]);
        const reports = chunks.filter(({ choices }) => choices.length === 0);
        expect(reports.length).toBe(includeUsage && whole.usage !== undefined ? 1 : 0);
        for (const chunk of chunks) expect("usage" in chunk).toBe(includeUsage);
        const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
        const begun = calls.filter(({ id }) => id !== undefined);
        expect(begun.map(({ index }) => index)).toEqual(begun.map((_, index) => index));
      }),
    );
  });
});

test("the stream of thoughts, words and a call, chunk by chunk", () => {
  const stream = written(chatCodec.writer(wanting), {
    id: "x",
    model: "y",
    createdAt: 0,
    usage: { inputTokens: 20, outputTokens: 9 },
    choices: [
      {
        finish: "tool-calls",
        parts: [
          { kind: "reasoning", text: "Let me see" },
          { kind: "text", text: 'Hel"lo' },
          { kind: "tool-call", id: "call_a1", name: "get_weather", arguments: '{"city":"Oslo"}' },
        ],
      },
    ],
  });
  const head = '{"id":"resp_abc","object":"chat.completion.chunk","created":1763700000,"model":"mine","choices":[';
  const chunk = (delta: string, finish = "null"): string =>
    `data: ${head}{"index":0,"delta":{${delta}},"logprobs":null,"finish_reason":${finish}}],"usage":null}\n\n`;
  const call = (rest: string): string => chunk(`"tool_calls":[{"index":0,${rest}}]`);
  expect(stream).toBe(
    [
      chunk('"role":"assistant","content":"","refusal":null'),
      chunk('"reasoning_content":"Let me see"'),
      chunk('"content":"Hel\\"lo"'),
      call('"id":"call_a1","type":"function","function":{"name":"get_weather","arguments":""}'),
      call('"function":{"arguments":"{\\"city\\":\\"Oslo\\"}"}'),
      chunk("", '"tool_calls"'),
      `data: ${head}],"usage":${JSON.stringify(renderUsage({ inputTokens: 20, outputTokens: 9 }))}}\n\n`,
      "data: [DONE]\n\n",
    ].join(""),
  );
});

test("several choices are told apart, each with its role and its end", () => {
  const whole: TextAnswer = {
    id: "resp_abc",
    model: "mine",
    createdAt: 1_763_700_000,
    choices: [
      { parts: [{ kind: "text", text: "a" }], finish: "stop" },
      { parts: [{ kind: "text", text: "b" }], finish: "length" },
    ],
  };
  const stream = written(chatCodec.writer(contextFor()), whole);
  expect(readBack(chatCodec.reader(), stream)).toEqual(whole);
  expect(chatCodec.parseAnswer(plain(chatCodec.renderAnswer(whole, contextFor())))).toEqual(whole);
  expect(stream.match(/"role":"assistant"/g)).toHaveLength(2);
});

const oneAnswer = (parts: readonly Part[], finish: TextAnswer["choices"][number]["finish"] = "stop"): TextAnswer => ({
  id: "",
  model: "",
  createdAt: 0,
  choices: [{ parts, finish }],
});

test("probabilities and citations survive, in an answer and in a stream", () => {
  const part: Part = {
    kind: "text",
    text: "hi",
    citations: [{ url: "https://a.example", title: "A", start: 0, end: 2 }],
    logProbabilities: [{ token: "hi", logProbability: -0.5, bytes: [104, 105], alternatives: [] }],
  };
  const told = (answer: TextAnswer): unknown =>
    answer.choices[0]?.parts.map((each) =>
      each.kind === "text"
        ? { ...each, citations: each.citations?.map(({ own, ...rest }) => ({ ...rest, wire: own?.wire })) }
        : each,
    );
  const expected = [{ ...part, citations: [{ url: "https://a.example", title: "A", start: 0, end: 2, wire: "chat" }] }];
  const whole = oneAnswer([part]);
  expect(told(chatCodec.parseAnswer(plain(chatCodec.renderAnswer(whole, wanting))))).toEqual(expected);
  expect(told(readBack(chatCodec.reader(), written(chatCodec.writer(wanting), whole)))).toEqual(expected);
});

test("a free-text tool's call that came wrapped is unwrapped for its client", () => {
  const context = contextFor({ tools: [{ kind: "custom", name: "patch" }] });
  const part: Part = { kind: "tool-call", id: "call_1", name: "patch", arguments: '{"input":"*** Begin"}' };
  const whole = oneAnswer([part], "tool-calls");
  const unwrapped = [{ ...part, custom: true, arguments: "*** Begin" }];
  expect(chatCodec.parseAnswer(plain(chatCodec.renderAnswer(whole, context))).choices[0]?.parts).toEqual(unwrapped);
  expect(readBack(chatCodec.reader(), written(chatCodec.writer(context), whole)).choices[0]?.parts).toEqual(unwrapped);
  expect(render({ turns: [{ role: "assistant", parts: unwrapped }] }).body["messages"]).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "patch", arguments: '{"input":"*** Begin"}' } }],
    },
  ]);
});

test("a client that knows functions only gets one call in their spelling", () => {
  const context = contextFor({}, { functions: [{ name: "f" }] });
  const whole = oneAnswer([{ kind: "tool-call", id: "call_1", name: "f", arguments: "{}" }], "tool-calls");
  expect(chatCodec.renderAnswer(whole, context)).toMatchObject({
    choices: [
      { message: { content: null, function_call: { name: "f", arguments: "{}" } }, finish_reason: "function_call" },
    ],
  });
  const back = readBack(chatCodec.reader(), written(chatCodec.writer(context), whole));
  expect(back.choices[0]).toMatchObject({ finish: "tool-calls", parts: [{ name: "f", arguments: "{}" }] });
});

test("thoughts are hidden from a client that does not want them", () => {
  const context = contextFor({ reasoning: { show: "none" } });
  const whole = oneAnswer([
    { kind: "reasoning", text: "secret", seal: { wire: "messages", kind: "signature", value: "s" } },
    { kind: "text", text: "hi" },
  ]);
  for (const told of [
    JSON.stringify(chatCodec.renderAnswer(whole, context)),
    written(chatCodec.writer(context), whole),
  ])
    expect(told).not.toMatch(/secret|reasoning/);
});

describe("how clients wish for reasoning", () => {
  test.each<readonly [JsonObject, TextRequest["reasoning"]]>([
    [{}, undefined],
    [{ reasoning_effort: "high" }, { effort: "high" }],
    [{ thinking: { type: "enabled", budget_tokens: 5 } }, { budgetTokens: 5 }],
    [{ thinking: { type: "disabled" } }, { effort: "none" }],
    [{ enable_thinking: true }, { budgetTokens: -1 }],
    [{ enable_thinking: true, thinking_budget: 9 }, { budgetTokens: 9 }],
    [{ enable_thinking: false, reasoning_effort: "high" }, { effort: "none" }],
    [{ reasoning: { effort: "low", exclude: true } }, { effort: "low", show: "none" }],
    [{ reasoning: { max_tokens: 2000 } }, { budgetTokens: 2000 }],
    [{ reasoning: { enabled: true } }, { budgetTokens: -1 }],
    [{ reasoning: { enabled: false } }, { effort: "none" }],
  ])("%j", (body, reasoning) => {
    const parsed = parse(body);
    expect(parsed.request.reasoning).toEqual(reasoning);
    expect(parsed.dropped).toEqual([]);
  });

  test.each<readonly [TextRequest["reasoning"], unknown]>([
    [{ budgetTokens: 8192 }, "medium"],
    [{ budgetTokens: -1 }, undefined],
    [{ effort: "none" }, "none"],
    [{ show: "summary" }, undefined],
  ])("%j goes to a vendor as %j", (reasoning, effort) => {
    expect(render({ reasoning }).body["reasoning_effort"]).toBe(effort);
  });
});

describe("what clients write", () => {
  test.each<readonly [string, JsonObject, Partial<TextRequest>]>([
    ["the newer bound of output wins", { max_tokens: 5, max_completion_tokens: 7 }, { maxTokens: 7 }],
    ["one stop", { stop: "x" }, { stop: ["x"] }],
    ["text as format", { response_format: { type: "text" } }, {}],
    ["alternatives without probabilities", { top_logprobs: 3 }, {}],
    [
      "search",
      { web_search_options: { search_context_size: "low" } },
      { tools: [{ kind: "web-search", wire: "chat", options: { search_context_size: "low" } }] },
    ],
    [
      "functions of old",
      { functions: [{ name: "f" }], function_call: { name: "f" } },
      { tools: [{ kind: "function", name: "f" }], toolChoice: { mode: "required", names: ["f"] } },
    ],
    [
      "allowed tools",
      {
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
        },
      },
      { toolChoice: { mode: "required", names: ["f"] } },
    ],
    [
      "a marked tool",
      { tools: [{ type: "function", function: { name: "f" }, cache_control: { type: "ephemeral" } }] },
      {
        tools: [{ kind: "function", name: "f", cache: {} }],
      },
    ],
    [
      "usage in a stream",
      { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
      {
        stream: true,
        includeUsage: true,
      },
    ],
    ["nothing to be stored", { store: false, user: null }, {}],
  ])("%s", (_, body, fields) => {
    const { request, dropped } = parse(body);
    const turns = [{ role: "user", parts: [{ kind: "text", text: "hi" }] }];
    expect(request).toEqual({ model: "m", stream: false, instructions: [], turns, ...fields });
    expect(dropped).toEqual([]);
  });

  const pdfData = "JVBERi0xLjQK";
  const file = (mediaType: string, data: string, name?: string): Part => ({
    kind: "file",
    source: { kind: "base64", mediaType, data },
    ...(name === undefined ? {} : { name }),
  });
  test.each<readonly [JsonObject, Part]>([
    [
      { type: "image_url", image_url: "https://i.example/1" },
      { kind: "image", source: { kind: "url", url: "https://i.example/1" } },
    ],
    [
      { type: "image_url", image_url: { url: "data:image/png;charset=x;base64,AA==", detail: "high" } },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" }, detail: "high" },
    ],
    [
      { type: "file", file: { filename: "a.bin", file_data: `data:application/pdf;base64,${pdfData}` } },
      file("application/pdf", pdfData, "a.bin"),
    ],
    [{ type: "file", file: { filename: "a.csv", file_data: "YSxi" } }, file("text/csv", "YSxi", "a.csv")],
    [{ type: "file", file: { file_data: pdfData } }, file("application/pdf", pdfData)],
    [{ type: "file", file: { file_data: "aGk=" } }, file("text/plain", "aGk=")],
    [
      { type: "input_audio", input_audio: { data: "AA==", format: "mp3" } },
      { kind: "audio", source: { kind: "base64", mediaType: "audio/mpeg", data: "AA==" } },
    ],
    [
      { type: "video_url", video_url: { url: "https://v.example" } },
      { kind: "video", source: { kind: "url", url: "https://v.example" } },
    ],
    [
      { type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } },
      { kind: "text", text: "x", cache: { lifetime: "1h" } },
    ],
  ])("%j", (part, expected) => {
    const { request, dropped } = parse({ messages: [{ role: "user", content: [part] }] });
    expect(request.turns).toEqual([{ role: "user", parts: [expected] }]);
    expect(dropped).toEqual([]);
  });

  test("developers' messages instruct, in the middle too; history says what it said", () => {
    const { request, dropped } = parse({
      messages: [
        { role: "developer", content: "a" },
        { role: "system", content: [{ type: "text", text: "b" }] },
        { role: "user", content: "c" },
        { role: "assistant", content: null, refusal: "no", reasoning: "hm", tool_calls: null, annotations: [] },
        { role: "developer", content: "d" },
        { role: "assistant", content: "", function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "1" },
        { role: "tool", tool_call_id: "call_9", content: [{ type: "text", text: "2" }] },
      ],
    });
    const id = expect.stringMatching(/^call_/);
    expect(request.instructions.map(({ text }) => text)).toEqual(["a", "b"]);
    expect(request.turns).toEqual([
      { role: "user", parts: [{ kind: "text", text: "c" }] },
      {
        role: "assistant",
        parts: [
          { kind: "reasoning", text: "hm" },
          { kind: "refusal", text: "no" },
        ],
      },
      { role: "system", parts: [{ kind: "text", text: "d" }] },
      { role: "assistant", parts: [{ kind: "tool-call", id, name: "f", arguments: "{}" }] },
      {
        role: "user",
        parts: [
          { kind: "tool-result", callId: id, name: "f", parts: [{ kind: "text", text: "1" }] },
          { kind: "tool-result", callId: "call_9", parts: [{ kind: "text", text: "2" }] },
        ],
      },
    ]);
    const [, , , call, results] = request.turns;
    expect(call?.parts[0]).toMatchObject({ id: results?.parts[0]?.kind === "tool-result" && results.parts[0].callId });
    expect(dropped).toEqual([]);
  });

  test("Google's own signature on a call is that wire's", () => {
    const call = {
      id: "call_1",
      type: "function",
      function: { name: "f", arguments: "{}" },
      extra_content: { google: { thought_signature: "sig" } },
    };
    expect(parse({ messages: [{ role: "assistant", tool_calls: [call] }] }).request.turns[0]?.parts).toEqual([
      {
        kind: "tool-call",
        id: "call_1",
        name: "f",
        arguments: "{}",
        seal: { wire: "content", kind: "thoughtSignature", value: "sig" },
      },
    ]);
  });

  test("a seal whose thoughts the client dropped has lost its meaning", () => {
    const whole = oneAnswer([
      { kind: "reasoning", text: "hm", seal: { wire: "messages", kind: "signature", value: "s" } },
    ]);
    const { choices } = plain(chatCodec.renderAnswer(whole, wanting)) as { choices: { message: JsonObject }[] };
    const { reasoning_content: _, ...message } = choices[0]?.message ?? {};
    expect(parse({ messages: [{ ...message, content: "x" }] }).request.turns[0]?.parts).toEqual([
      { kind: "text", text: "x" },
    ]);
  });
});

describe("what a request may not hold", () => {
  const said = (content: unknown): JsonObject => ({ messages: [{ role: "user", content }] });
  test.each([
    ["no messages", { messages: null }, "missing_required_parameter", "messages"],
    ["a wrong role", { messages: [{ role: "judge", content: "" }] }, "invalid_value", "messages[0].role"],
    ["no role", { messages: [{ content: "" }] }, "missing_required_parameter", "messages[0].role"],
    ["an unknown part", said([{ type: "constructor" }]), "invalid_value", "messages[0].content[0].type"],
    ["a wrong text", said([{ type: "text", text: 3 }]), "invalid_value", "messages[0].content[0].text"],
    [
      "a stored file",
      said([{ type: "file", file: { file_id: "file-1" } }]),
      "unsupported_parameter",
      "messages[0].content[0].file.file_id",
    ],
    [
      "a picture that instructs",
      { messages: [{ role: "system", content: [{ type: "image_url", image_url: "x" }] }] },
      "invalid_value",
      "messages[0].content",
    ],
    [
      "a result of nothing",
      { messages: [{ role: "tool", content: "x" }] },
      "missing_required_parameter",
      "messages[0].tool_call_id",
    ],
    ["a wrong number", { temperature: "1" }, "invalid_value", "temperature"],
    ["an unknown effort", { reasoning_effort: "heroic" }, "invalid_value", "reasoning_effort"],
    ["a tool without its function", { tools: [{ type: "function" }] }, "invalid_value", "tools[0].function"],
    ["a vendor's tool forced", { tool_choice: { type: "file_search" } }, "unsupported_parameter", "tool_choice"],
  ])("%s", (_, body, code, param) => {
    expect(() => parse(body)).toThrow(expect.objectContaining({ code, param }));
  });

  test.each([
    [{ min_p: 0, repetition_penalty: 1, extra_body: {} }, ["min_p", "repetition_penalty", "extra_body"]],
    [{ store: true }, ["store"]],
    [{ stream_options: { include_obfuscation: true } }, ["stream_options.include_obfuscation"]],
    [{ messages: [{ role: "user", content: "x", name: "Ann" }] }, ["messages[].name"]],
    [{ reasoning: { summary: "auto" } }, ["reasoning.summary"]],
  ])("%j drops %j", (body, dropped) => {
    expect(parse(body).dropped).toEqual(dropped);
  });
});

describe("what a vendor of this wire is told", () => {
  test("a stream is asked for its usage", () => {
    expect(render({ stream: true }).body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test.each([
    ["theirs", "max_tokens"],
    ["deepseek-chat", "max_tokens"],
    ["gpt-4o", "max_tokens"],
    ["gpt-oss-120b", "max_tokens"],
    ["gpt-5.1", "max_completion_tokens"],
    ["o4-mini", "max_completion_tokens"],
    ["openai/o3", "max_completion_tokens"],
  ])("%s takes %s", (model, name) => {
    expect(render({ maxTokens: 5 }, { ...older, model }).body[name]).toBe(5);
  });

  const tools = [
    { kind: "function", name: "f" },
    { kind: "function", name: "g" },
    { kind: "custom", name: "free", format: { type: "text" } },
  ] as const;
  test("older vendors get free-text tools as functions, and only the tools that are allowed", () => {
    const { body, dropped } = render({ tools, toolChoice: { mode: "required", names: ["f", "free"] } });
    expect(body).toMatchObject({
      tools: [
        { function: { name: "f" } },
        { type: "function", function: { name: "free", parameters: { type: "object" } } },
      ],
      tool_choice: "required",
    });
    expect(dropped).toEqual(["tools.format"]);
  });

  test("thoughts go back before a call only, and to no vendor that refuses them", () => {
    const thought: Part = { kind: "reasoning", text: "hm" };
    const call: Part = { kind: "tool-call", id: "c", name: "f", arguments: "{}" };
    const said = (parts: readonly Part[], target = older) => render({ turns: [{ role: "assistant", parts }] }, target);
    expect(said([thought, call])).toMatchObject({ body: { messages: [{ reasoning_content: "hm" }] }, dropped: [] });
    expect(said([thought, { kind: "text", text: "x" }])).toEqual({
      body: { model: "theirs", messages: [{ role: "assistant", content: "x" }] },
      dropped: ["turn.reasoning"],
    });
    const strict = said([thought, call], newest);
    expect(JSON.stringify(strict.body)).not.toContain("hm");
    expect(strict.dropped).toEqual(["turn.reasoning"]);
  });

  test("results come first and as text; their images are the user's next words; an error says so", () => {
    const result = (parts: Extract<Part, { kind: "tool-result" }>["parts"], isError = false): Part => ({
      kind: "tool-result",
      callId: "c",
      parts,
      isError,
    });
    const png = { kind: "image", source: { kind: "url", url: "https://i.example" } } as const;
    const parts = [
      { kind: "text", text: "see" } as const,
      result([{ kind: "text", text: "bad" }], true),
      result([png]),
    ];
    const { body, dropped } = render({ turns: [{ role: "user", parts }] });
    expect(body["messages"]).toEqual([
      { role: "tool", tool_call_id: "c", content: "Error: bad" },
      { role: "tool", tool_call_id: "c", content: "The result is in the next message." },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "https://i.example" } },
          { type: "text", text: "see" },
        ],
      },
    ]);
    expect(dropped).toEqual(["tool-result.is-error"]);
  });

  test("a text file is told as text", () => {
    const part: Part = { kind: "file", source: { kind: "text", text: "a ``` b" }, title: "notes" };
    expect(render({ turns: [{ role: "user", parts: [part] }] })).toMatchObject({
      body: { messages: [{ content: [{ type: "text", text: "notes\n````\na ``` b\n````" }] }] },
      dropped: ["file.title"],
    });
  });

  const said = (part: Part): Partial<TextRequest> => ({ turns: [{ role: "user", parts: [part] }] });
  const wrote = (part: Part): Partial<TextRequest> => ({ turns: [{ role: "assistant", parts: [part] }] });
  const foreignSeal = { wire: "responses", kind: "encrypted_content", value: "x" } as const;
  test.each<readonly [string, Partial<TextRequest>, string]>([
    ["five stops", { stop: ["1", "2", "3", "4", "5"] }, "stop"],
    ["a foreign tool", { tools: [{ kind: "vendor", wire: "content", name: "maps", definition: {} }] }, "tools: maps"],
    ["a file by address", said({ kind: "file", source: { kind: "url", url: "https://f" } }), "files by address"],
    [
      "a foreign file",
      said({ kind: "image", source: { kind: "file-id", wire: "messages", id: "f" } }),
      "file ids of another vendor",
    ],
    ["a compaction", wrote({ kind: "compaction", seal: foreignSeal }), "a compaction of another vendor"],
    ["a foreign item", wrote({ kind: "vendor", wire: "responses", value: {} }), "items of another vendor's tools"],
  ])("%s is refused", (_, fields, param) => {
    expect(() => render(fields)).toThrow(expect.objectContaining({ code: "unsupported_parameter", param }));
  });

  test.each<readonly [Partial<TextRequest>, readonly string[]]>([
    [{ topK: 2 }, []],
    [{ toolChoice: { mode: "auto" }, parallelTools: false }, ["toolChoice"]],
    [{ tools: [{ kind: "web-search", wire: "messages", options: { max_uses: 1 } }] }, ["tools.web-search.options"]],
    [{ tools: [{ kind: "function", name: "f", cache: {} }] }, ["tools.cache"]],
    [said({ kind: "text", text: "x", cache: {} }), ["text.cache"]],
  ])("%j drops %j", (fields, dropped) => {
    expect(render(fields).dropped).toEqual(dropped);
  });

  test("fields that the wire's own vendor refuses are dropped by name", () => {
    expect(render({ topK: 2 }, newest)).toMatchObject({ dropped: ["topK"] });
  });
});

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", model: "m", created: 5, choices: [{ index: 0, delta, ...more }] })}\n\n`;
const end = (word: string | null): string => `${chunk({}, { finish_reason: word })}data: [DONE]\n\n`;
const called = (index: number | undefined, id: string, name: string, text: string): string =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] });

describe("a vendor's stream", () => {
  test.each<readonly [string, string, readonly Part[]]>([
    [
      "thoughts under both names, and in details",
      chunk({ reasoning_content: "a" }) +
        chunk({ reasoning: "b" }) +
        chunk({ reasoning_details: [{ type: "reasoning.text", text: "c" }] }) +
        chunk({ content: "d" }),
      [
        { kind: "reasoning", text: "abc" },
        { kind: "text", text: "d" },
      ],
    ],
    [
      "content as parts",
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "a" }] }] }) +
        chunk({ content: [{ type: "text", text: "b" }] }),
      [
        { kind: "reasoning", text: "a" },
        { kind: "text", text: "b" },
      ],
    ],
    [
      "a vendor's sealed details, in pieces",
      chunk({ reasoning: "a", reasoning_details: [{ type: "reasoning.text", index: 0, text: "a" }] }) +
        chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, text: null, signature: "sig" }] }) +
        chunk({ content: "b" }),
      [
        {
          kind: "reasoning",
          text: "a",
          seal: {
            wire: "chat",
            kind: "reasoning_details",
            value: '[{"type":"reasoning.text","index":0,"text":"a","signature":"sig"}]',
          },
        },
        { kind: "text", text: "b" },
      ],
    ],
    [
      "calls in mixed pieces",
      called(0, "a", "f", "{") + called(1, "b", "g", "[") + called(0, "", "", '"x":1}') + called(1, "", "", "]"),
      [
        { kind: "tool-call", id: "a", name: "f", arguments: '{"x":1}' },
        { kind: "tool-call", id: "b", name: "g", arguments: "[]" },
      ],
    ],
    [
      "calls without numbers",
      called(undefined, "a", "f", "{}") + called(undefined, "b", "g", "{}"),
      [
        { kind: "tool-call", id: "a", name: "f", arguments: "{}" },
        { kind: "tool-call", id: "b", name: "g", arguments: "{}" },
      ],
    ],
    [
      "calls that share a number; an id told again",
      called(0, "a", "f", "{") + called(0, "a", "", "}") + called(0, "b", "g", "{}"),
      [
        { kind: "tool-call", id: "a", name: "f", arguments: "{}" },
        { kind: "tool-call", id: "b", name: "g", arguments: "{}" },
      ],
    ],
    [
      "a signature in Google's spelling",
      chunk({
        tool_calls: [
          {
            index: 0,
            id: "a",
            function: { name: "f", arguments: "{}" },
            extra_content: { google: { thought_signature: "sig" } },
          },
        ],
      }),
      [
        {
          kind: "tool-call",
          id: "a",
          name: "f",
          arguments: "{}",
          seal: { wire: "chat", kind: "thought_signature", value: "sig" },
        },
      ],
    ],
    [
      "speech in pieces",
      chunk({ audio: { id: "au", data: "AAA=", transcript: "he" } }) +
        chunk({ audio: { data: "AQ==", transcript: "y" } }),
      [{ kind: "vendor", wire: "chat", value: { audio: { id: "au", data: "AAAB", transcript: "hey" } } }],
    ],
    [
      "an image",
      chunk({ content: "see", images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }] }),
      [
        { kind: "text", text: "see" },
        { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
      ],
    ],
    [
      "words that are not there, and members that nobody knows",
      chunk({ role: "assistant", content: "" }) +
        chunk({ content: null, riddle: 1, tool_calls: [null] }) +
        chunk({ content: "x" }, { riddle: 2 }),
      [{ kind: "text", text: "x" }],
    ],
  ])("%s", (_, stream, parts) => {
    const reader = chatCodec.reader();
    expect(readBack(reader, stream + end("stop")).choices[0]?.parts).toEqual(parts);
    expect(reader.whole).toBe(true);
  });

  test("a call that is whole ends when the next begins, so that it need not wait for the stream's end", () => {
    const events = eventsOf(chatCodec.reader(), called(0, "a", "f", '{"x":1}') + called(1, "b", "g", ""));
    expect(events.map((event) => event.type)).toEqual([
      "start",
      "part-start",
      "part-delta",
      "part-end",
      "part-start",
      "part-end",
    ]);
  });

  test.each<readonly [string, JsonObject, string, object]>([
    ["stop", {}, "x", { finish: "stop" }],
    ["length", {}, "x", { finish: "length" }],
    ["content_filter", {}, "x", { finish: "filtered" }],
    ["sensitive", {}, "x", { finish: "filtered" }],
    ["whatever", {}, "x", { finish: "stop" }],
    ["stop", { stop_reason: "END" }, "x", { finish: "stop-sequence", stopSequence: "END" }],
    ["stop", { stop_reason: 7 }, "x", { finish: "stop" }],
  ])("%s %j", (word, more, content, finish) => {
    const stream = `${chunk({ content })}${chunk({}, { finish_reason: word, ...more })}data: [DONE]\n\n`;
    expect(readBack(chatCodec.reader(), stream).choices[0]).toMatchObject(finish);
  });

  test("calls end an answer whatever the vendor's word, and so does the end of the stream", () => {
    expect(readBack(chatCodec.reader(), called(0, "a", "f", "{}") + end("stop")).choices[0]?.finish).toBe("tool-calls");
    expect(readBack(chatCodec.reader(), `${called(0, "a", "f", "{}")}data: [DONE]\n\n`).choices[0]?.finish).toBe(
      "tool-calls",
    );
  });

  const usage = { prompt_tokens: 2, completion_tokens: 1 };
  test.each<readonly [string, string, boolean]>([
    [
      "in a last chunk",
      `${end("stop").replace("data: [DONE]\n\n", "")}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
      true,
    ],
    [
      "in every chunk, the last counts",
      chunk({}, { usage: { prompt_tokens: 2, completion_tokens: 9 } }) + chunk({}, { finish_reason: "stop", usage }),
      true,
    ],
    [
      "inside the choice, and no terminal frame",
      chunk({ content: "x" }, {}) + chunk({}, { finish_reason: "stop", usage }),
      true,
    ],
    ["never, and cut after the end", chunk({}, { finish_reason: "stop" }), false],
  ])("usage %s", (_, stream, whole) => {
    const reader = chatCodec.reader();
    const answer = readBack(reader, chunk({ content: "x" }) + stream);
    expect(reader.whole).toBe(whole);
    expect(answer.usage).toEqual(whole ? { inputTokens: 2, outputTokens: 1 } : undefined);
  });

  test.each<readonly [object, TextEvent]>([
    [
      { error: { code: "rate_limit_exceeded", message: "slow" } },
      { type: "failure", code: "rate_limit_exceeded", message: "slow" },
    ],
    [
      { error: { code: 502, message: "no" }, choices: [] },
      { type: "failure", code: "server_error", message: "no", status: 502 },
    ],
    [{ error: "no" }, { type: "failure", code: "server_error", message: "no" }],
    [
      { object: "error", type: "BadRequest", message: "no" },
      { type: "failure", code: "BadRequest", message: "no" },
    ],
  ])("%j is a failure", (body, failure) => {
    const reader = chatCodec.reader();
    expect(eventsOf(reader, `data: ${JSON.stringify(body)}\n\n`)).toEqual([failure]);
    expect(reader.whole).toBe(false);
    expect(() => chatCodec.parseAnswer(plain(body))).toThrow(expect.objectContaining({ code: "upstream_error" }));
  });

  test("a cut stream ends its parts and is not whole", () => {
    const reader = chatCodec.reader();
    const events = eventsOf(reader, chunk({ content: "x" }) + "data: {\n\n");
    expect(events.map(({ type }) => type)).toEqual(["start", "part-start", "part-delta", "failure", "part-end"]);
    expect(reader.whole).toBe(false);
  });
});

test.each<readonly [string, JsonObject]>([
  ["no choice", { choices: [] }],
  ["no answer", { id: "x" }],
  ["a message that cannot be read", { choices: [{ message: { content: [{ type: "riddle" }] } }] }],
])("%s is the vendor's error", (_, body) => {
  expect(() => chatCodec.parseAnswer(body)).toThrow(expect.objectContaining({ code: "upstream_error" }));
});

test("a broken stream ends with the wire's error, and nothing follows", () => {
  const writer = chatCodec.writer(contextFor());
  const failed = writer.fail(new Failure("upstream_timeout"), "req_1");
  expect(JSON.parse(framesOf(failed)[0]?.data ?? "")).toMatchObject({ error: { code: "upstream_timeout" } });
  expect(writer.heartbeat()).toBe(": keep-alive\n\n");
  expect(writer.write({ type: "ping" })).toBe(": keep-alive\n\n");
});

test("usage survives this wire", () => {
  fc.assert(
    fc.property(units, (used) => {
      expect(chatUsage(plain(renderUsage(used)))).toEqual(used);
    }),
  );
  const all = {
    inputTokens: 1,
    cachedInputTokens: 2,
    cacheWriteTokens: 3,
    inputAudioTokens: 4,
    outputTokens: 6,
    reasoningTokens: 5,
    outputAudioTokens: 7,
  };
  expect(chatUsage(renderUsage(all))).toEqual(all);
  expect(renderUsage(all)).toMatchObject({ prompt_tokens: 10, completion_tokens: 13, total_tokens: 23 });
});

test("a free-text call beyond what can be unwrapped fails", () => {
  const writer = chatCodec.writer(contextFor({ tools: [{ kind: "custom", name: "patch" }] }));
  writer.write({ type: "part-start", choice: 0, part: 0, opened: { kind: "tool-call", id: "c", name: "patch" } });
  const text = "x".repeat(mostHeld + 1);
  expect(() => writer.write({ type: "part-delta", choice: 0, part: 0, text })).toThrow(
    expect.objectContaining({ code: "upstream_error" }),
  );
});

test("the README's table is the code's", () => {
  const readme = readFileSync(join(import.meta.dirname, "../src/text/chat/README.md"), "utf8");
  expect(readme).toContain(fatesTable(fates));
});
