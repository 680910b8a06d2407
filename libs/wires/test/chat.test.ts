import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { maxBufferedCharacters } from "../src/text/chat/client-stream.ts";
import { chatWire } from "../src/text/chat/index.ts";
import { chatUsage, renderUsage } from "../src/text/chat/usage.ts";
import type { TextAnswer } from "../src/text/hub/answer.ts";
import type { Part, Signature } from "../src/text/hub/part.ts";
import { efforts, type TextRequest } from "../src/text/hub/request.ts";
import {
  answer,
  customCall,
  detailedImage,
  dialogue,
  endedByRefusal,
  functionCall,
  functionTool,
  json,
  merged,
  numbered,
  plainImage,
  record,
  refusal,
  request,
  sampling,
  signatureWith,
  textPart,
  units,
  word,
} from "./arbitraries.ts";
import {
  contextFor,
  framesOf,
  oneAnswer,
  plain,
  readBack,
  renders,
  testsOfAnswers,
  toolRound,
  weather,
  written,
} from "./harness.ts";

/** A model that accepts all fields, and one that accepts only the older ones. */
const newest = { model: "gpt-7", defaultMaxTokens: 1000 };
const older = { model: "theirs", defaultMaxTokens: 1000 };
const parse = (body: JsonRecord) => chatWire.client.read({ model: "m", messages: [], ...body });
const render = renders(chatWire, older);

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
const roundRequest: TextRequest = { ...toolRound, parallelTools: false, reasoning: { effort: "low" } };

test("one tool round is parsed and rendered", () => {
  expect(chatWire.client.read(round)).toEqual({ request: roundRequest, dropped: [] });
  expect(chatWire.vendor.render(roundRequest, { ...older, model: "m" })).toEqual({ body: round, dropped: [] });
});

const ownSignature: fc.Arbitrary<Signature> = word.map((data) => ({
  wire: "chat",
  kind: "reasoning_details",
  value: JSON.stringify([{ type: "reasoning.encrypted", data, index: 0 }]),
}));
const googleSignature = signatureWith("chat", "thought_signature");
const signedCall = fc.oneof(
  functionCall,
  fc.tuple(functionCall, googleSignature).map(([call, signature]) => ({ ...call, signature })),
);
const pdf: fc.Arbitrary<Part> = word.map((name) => ({
  kind: "file",
  source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
  name,
}));
const media: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { kind: "audio", source: { kind: "base64", mediaType: "audio/mpeg", data: "AAAA" } },
  { kind: "video", source: { kind: "url", url: "https://v.example/1.mp4" } },
);
const speech: fc.Arbitrary<Part> = fc.constant({ kind: "vendor", wire: "chat", value: { audio: { id: "audio_1" } } });

/** An assistant message has a fixed order of parts, and joins some kinds. */
function inOrder(parts: readonly Part[]): readonly Part[] {
  const kinds = ["reasoning", "text", "image", "refusal", "tool-call", "vendor"] as const;
  const joined: ReadonlySet<Part["kind"]> = new Set(["reasoning", "text", "refusal", "vendor"]);
  return kinds.flatMap((kind) => {
    const all = parts.filter((part) => part.kind === kind);
    return joined.has(kind) ? all.slice(0, 1) : all;
  });
}
const ownThought: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("reasoning"),
  text: word,
  signature: ownSignature,
});
const turns = dialogue(
  fc.oneof(textPart, detailedImage, pdf, media),
  fc.oneof(textPart, ownThought, plainImage, refusal, speech),
  fc.oneof(signedCall, customCall),
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
  user: word,
  safetyIdentifier: word,
  serviceTier: fc.constant("flex"),
  prediction: fc.constant({ type: "content", content: "x" }),
}).chain((drawnFields) => {
  const tools = fc.constantFrom<Partial<TextRequest>>(
    {},
    { toolChoice: { mode: "required" }, parallelTools: false },
    { toolChoice: { mode: "required", names: ["free"] } },
    { toolChoice: { mode: "auto", names: ["free", "odd"] }, parallelTools: true },
  );
  return tools.map((chosen) => ({
    ...drawnFields,
    ...(drawnFields["tools"] === undefined ? {} : chosen),
  })) as fc.Arbitrary<Partial<TextRequest>>;
});

/** A `thought_signature` on this wire is parsed as a signature of Google's wire. */
function expectedPart(part: Part): Part {
  return part.kind === "tool-call" && part.signature?.kind === "thought_signature"
    ? { ...part, signature: { ...part.signature, wire: "content", kind: "thoughtSignature" } }
    : part;
}

function expectedRequest(drawnRequest: TextRequest): TextRequest {
  const text = drawnRequest.instructions.map((part) => part.text).join("\n\n");
  return {
    ...drawnRequest,
    instructions: drawnRequest.instructions.length > 0 ? [{ kind: "text", text }] : [],
    turns: merged(drawnRequest.turns).map(({ role, parts }) => ({ role, parts: parts.map(expectedPart) })),
    ...(drawnRequest.stream ? { includeUsage: true } : {}),
  };
}

test("a request that this wire can express is unchanged after rendering and parsing", () => {
  fc.assert(
    fc.property(request(turns, fields), (drawnRequest) => {
      const targetRequest = { ...drawnRequest, model: newest.model };
      const { body, dropped } = chatWire.vendor.render(targetRequest, newest);
      expect(dropped).toEqual([]);
      const parsedBody = chatWire.client.read(plain(body));
      expect(parsedBody.dropped).toEqual([]);
      expect({ ...parsedBody.request, turns: merged(parsedBody.request.turns) }).toEqual(
        expectedRequest(targetRequest),
      );
    }),
  );
});

/** Signatures of other wires, which clients send back. */
const foreign = fc.oneof(
  signatureWith("messages", "signature"),
  signatureWith("content", "thoughtSignature"),
  signatureWith("responses", "x"),
);
const optionalSignature = <Value extends object>(part: fc.Arbitrary<Value>) =>
  fc.oneof(
    part,
    fc.tuple(part, foreign).map(([value, signature]) => ({ ...value, signature })),
  );
const thoughts: fc.Arbitrary<readonly Part[]> = fc.oneof(
  fc.array(
    fc.record({ kind: fc.constant("reasoning" as const), text: fc.oneof(word, fc.constant("")), signature: foreign }),
    {
      maxLength: 3,
    },
  ),
  fc.tuple(fc.record({ kind: fc.constant("reasoning" as const), text: word })),
  fc.tuple(fc.record({ kind: fc.constant("reasoning" as const), text: word, signature: ownSignature })),
);
const texts: fc.Arbitrary<readonly Part[]> = fc.array(optionalSignature(textPart), { maxLength: 1 });
const answers = answer(
  fc
    .tuple(
      thoughts,
      texts,
      fc.array(optionalSignature(plainImage), { maxLength: 2 }),
      fc.array(refusal, { maxLength: 1 }),
      fc.array(fc.oneof(optionalSignature(functionCall), customCall, signedCall), { maxLength: 3 }),
      fc.array(speech, { maxLength: 1 }),
    )
    .map((groups) => groups.flat())
    .filter((parts) => parts.length > 0)
    .map(numbered),
  fc.constantFrom("stop", "length"),
).map(endedByRefusal);
const asAnswered = (whole: TextAnswer): TextAnswer => ({ ...whole, createdAt: 1_763_700_000 });
const usageContext = contextFor({ includeUsage: true });

/** Merges a delta as clients do. List entries are merged by `index`. */
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
  /** Parts of kind "vendor" are streamed without their value. */
  const streamed = (whole: TextAnswer): TextAnswer => ({
    ...whole,
    choices: whole.choices.map((choice) => ({
      ...choice,
      parts: choice.parts.map((part) => (part.kind === "vendor" ? { ...part, value: {} } : part)),
    })),
  });
  testsOfAnswers({ wire: chatWire, answered: answers, expected: asAnswered, streamed, context: usageContext });

  test("a client that returns an answer or a stream sends each signature with its part", () => {
    fc.assert(
      fc.property(answers, (whole) => {
        const body = plain(chatWire.client.render(whole, usageContext));
        const [choice] = body["choices"] as readonly { readonly message: JsonRecord }[];
        const parts = whole.choices[0]?.parts ?? [];
        const parsedTurns = parse({ messages: [choice?.message ?? {}] }).request.turns;
        expect(parsedTurns).toEqual([{ role: "assistant", parts: parts.map(expectedPart) }]);
        expect(JSON.stringify(render({ turns: parsedTurns }).body)).not.toContain("bW9kZWxnYXRl");
      }),
    );
  });

  test("a client that joins the chunks of a stream sends each signature with its part", () => {
    fc.assert(
      fc.property(answers, (whole) => {
        const frames = framesOf(written(chatWire.client.stream(usageContext), whole)).slice(0, -1);
        const deltas = frames.map(({ data }) => JSON.parse(data).choices[0]?.delta ?? {});
        const message = deltas.reduce<unknown>((before, delta) => joined(before, delta), {});
        const [turn] = parse({ messages: [message] }).request.turns;
        expect(turn?.parts).toEqual(whole.choices[0]?.parts.map(expectedPart));
      }),
    );
  });

  test("chunks keep the wire's rules", () => {
    fc.assert(
      fc.property(answers, fc.boolean(), (whole, includeUsage) => {
        const frames = framesOf(written(chatWire.client.stream(contextFor({ includeUsage })), whole)).map(
          ({ data }) => data,
        );
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
        const startedCalls = calls.filter(({ id }) => id !== undefined);
        expect(startedCalls.map(({ index }) => index)).toEqual(startedCalls.map((_, index) => index));
      }),
    );
  });
});

test("a stream renders reasoning, text and a call chunk by chunk", () => {
  const stream = written(chatWire.client.stream(usageContext), {
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

test("several choices are separate, each with its role and its end", () => {
  const whole: TextAnswer = {
    id: "resp_abc",
    model: "mine",
    createdAt: 1_763_700_000,
    choices: [
      { parts: [{ kind: "text", text: "a" }], finish: "stop" },
      { parts: [{ kind: "text", text: "b" }], finish: "length" },
    ],
  };
  const stream = written(chatWire.client.stream(contextFor()), whole);
  expect(readBack(chatWire.vendor.stream(), stream)).toEqual(whole);
  expect(chatWire.vendor.parse(plain(chatWire.client.render(whole, contextFor())))).toEqual(whole);
  expect(stream.match(/"role":"assistant"/g)).toHaveLength(2);
});

test("log probabilities and citations are kept, in an answer and in a stream", () => {
  const part: Part = {
    kind: "text",
    text: "hi",
    citations: [{ url: "https://a.example", title: "A", start: 0, end: 2 }],
    logProbabilities: [{ token: "hi", logProbability: -0.5, bytes: [104, 105], alternatives: [] }],
  };
  const choicesOf = (answer: TextAnswer): unknown =>
    answer.choices[0]?.parts.map((each) =>
      each.kind === "text"
        ? { ...each, citations: each.citations?.map(({ own, ...rest }) => ({ ...rest, wire: own?.wire })) }
        : each,
    );
  const expected = [{ ...part, citations: [{ url: "https://a.example", title: "A", start: 0, end: 2, wire: "chat" }] }];
  const whole = oneAnswer([part]);
  expect(choicesOf(chatWire.vendor.parse(plain(chatWire.client.render(whole, usageContext))))).toEqual(expected);
  expect(choicesOf(readBack(chatWire.vendor.stream(), written(chatWire.client.stream(usageContext), whole)))).toEqual(
    expected,
  );
});

test("the wrapped call of a free-text tool is unwrapped for its client", () => {
  const context = contextFor({ tools: [{ kind: "custom", name: "patch" }] });
  const part: Part = { kind: "tool-call", id: "call_1", name: "patch", arguments: '{"input":"*** Begin"}' };
  const whole = oneAnswer([part], "tool-calls");
  const unwrapped = [{ ...part, custom: true, arguments: "*** Begin" }];
  expect(chatWire.vendor.parse(plain(chatWire.client.render(whole, context))).choices[0]?.parts).toEqual(unwrapped);
  expect(readBack(chatWire.vendor.stream(), written(chatWire.client.stream(context), whole)).choices[0]?.parts).toEqual(
    unwrapped,
  );
  expect(render({ turns: [{ role: "assistant", parts: unwrapped }] }).body["messages"]).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "patch", arguments: '{"input":"*** Begin"}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "no result was given" },
  ]);
});

test("a client that knows only functions gets the call as a function call", () => {
  const context = contextFor({}, { functions: [{ name: "f" }] });
  const whole = oneAnswer([{ kind: "tool-call", id: "call_1", name: "f", arguments: "{}" }], "tool-calls");
  expect(chatWire.client.render(whole, context)).toMatchObject({
    choices: [
      { message: { content: null, function_call: { name: "f", arguments: "{}" } }, finish_reason: "function_call" },
    ],
  });
  const back = readBack(chatWire.vendor.stream(), written(chatWire.client.stream(context), whole));
  expect(back.choices[0]).toMatchObject({ finish: "tool-calls", parts: [{ name: "f", arguments: "{}" }] });
});

test("reasoning is hidden if the client excludes it", () => {
  const context = contextFor({ reasoning: { show: "none" } });
  const whole = oneAnswer([
    { kind: "reasoning", text: "secret", signature: { wire: "messages", kind: "signature", value: "s" } },
    { kind: "text", text: "hi" },
  ]);
  for (const text of [
    JSON.stringify(chatWire.client.render(whole, context)),
    written(chatWire.client.stream(context), whole),
  ])
    expect(text).not.toMatch(/secret|reasoning/);
});

test("a broken stream ends with the wire's error event", () => {
  const writer = chatWire.client.stream(contextFor());
  const failed = writer.fail(new Failure("upstream_timeout"), "req_1");
  expect(JSON.parse(framesOf(failed)[0]?.data ?? "")).toMatchObject({ error: { code: "upstream_timeout" } });
  expect(writer.heartbeat()).toBe(": keep-alive\n\n");
  expect(writer.write({ type: "ping" })).toBe(": keep-alive\n\n");
});

test("usage is unchanged after rendering and parsing", () => {
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

test("a free-text call over the size limit fails", () => {
  const writer = chatWire.client.stream(contextFor({ tools: [{ kind: "custom", name: "patch" }] }));
  writer.write({ type: "part-start", choice: 0, part: 0, opened: { kind: "tool-call", id: "c", name: "patch" } });
  const text = "x".repeat(maxBufferedCharacters + 1);
  expect(() => writer.write({ type: "part-delta", choice: 0, part: 0, text })).toThrow(
    expect.objectContaining({ code: "upstream_error" }),
  );
});
