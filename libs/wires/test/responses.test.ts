import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import type { TextAnswer, TextEvent } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import { efforts, type TextRequest } from "../src/text/hub/request.ts";
import { responsesWire } from "../src/text/responses/index.ts";
import { itemId, responseOfItem } from "../src/text/responses/stores.ts";
import { maxOutputCharacters } from "../src/text/responses/part-writer.ts";
import { maxWaiting } from "../src/text/hub/events.ts";
import { responsesUsage } from "../src/text/responses/usage.ts";
import {
  answer,
  customCall,
  detailedImage,
  dialogue,
  endedByRefusal,
  fileBytes,
  functionCall,
  functionTool,
  imageBytes,
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

const target = { model: "theirs", defaultMaxTokens: 1000 };
const parse = (body: JsonRecord) => responsesWire.client.read({ model: "m", ...body });
const render = renders(responsesWire, target);

const round = {
  model: "m",
  max_output_tokens: 300,
  reasoning: { effort: "low" },
  parallel_tool_calls: false,
  tool_choice: "auto",
  instructions: "Be brief.",
  tools: [{ type: "function", name: "get_weather", description: "Weather now", parameters: weather, strict: false }],
  input: [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "Weather in this city?" },
        { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" },
      ],
    },
    {
      type: "message",
      role: "assistant",
      id: "msg_a",
      status: "completed",
      content: [{ type: "output_text", text: "I check.", annotations: [] }],
    },
    { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
    { type: "function_call_output", call_id: "call_1", output: '{"temp":4}' },
  ],
};
const roundRequest: TextRequest = {
  ...toolRound,
  parallelTools: false,
  reasoning: { effort: "low", show: "none" },
};

test("one tool round is parsed and rendered", () => {
  expect(responsesWire.client.read(round)).toEqual({ request: roundRequest, dropped: [] });
  const { body, dropped } = responsesWire.vendor.render(roundRequest, { ...target, model: "m" });
  expect(dropped).toEqual([]);
  expect(body).toMatchObject({
    ...round,
    store: false,
    include: ["reasoning.encrypted_content"],
    input: [round.input[0], { type: "message", role: "assistant" }, round.input[2], round.input[3]],
  });
});

const ownSignature = signatureWith("responses", "encrypted_content");
const rs = fc.stringMatching(/^rs_[a-z0-9]{6}$/);
const reasoningPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("reasoning"),
  text: word,
  summary: fc.boolean(),
  id: rs,
  signature: ownSignature,
});
const file: fc.Arbitrary<Part> = fc.record({ kind: fc.constant("file"), source: fileBytes, name: word });
const vendorItem: fc.Arbitrary<Part> = fc.constant({
  kind: "vendor",
  wire: "responses",
  value: { type: "web_search_call", id: "ws_1", status: "completed" },
});
const compaction: fc.Arbitrary<Part> = fc.record({ kind: fc.constant("compaction"), id: rs, signature: ownSignature });

const resultParts = fc.oneof(
  word.map((text) => [{ kind: "text" as const, text }]),
  fc.tuple(
    word.map((text) => ({ kind: "text" as const, text })),
    fc.record({ kind: fc.constant("image" as const), source: imageBytes }),
  ),
);
const turns = dialogue(
  fc.oneof(textPart, detailedImage, file),
  fc.oneof(textPart, reasoningPart, plainImage, vendorItem, compaction, refusal),
  fc.oneof(functionCall, customCall),
  resultParts,
);
const fields: fc.Arbitrary<Partial<TextRequest>> = record({
  ...sampling,
  tools: fc.array(
    fc.oneof(functionTool, fc.record({ kind: fc.constant("custom" as const), name: fc.constant("free") })),
    { minLength: 1, maxLength: 3 },
  ),
  parallelTools: fc.boolean(),
  maxTokens: fc.integer({ min: 16, max: 9999 }),
  reasoning: fc.record({ effort: fc.constantFrom(...efforts), show: fc.constantFrom("none", "summary", "full") }),
  format: fc.oneof(
    fc.constant({ kind: "json" as const }),
    fc.record({ kind: fc.constant("schema" as const), name: word, schema: json, strict: fc.boolean() }),
  ),
  logProbabilities: fc.nat(20).map((alternatives) => ({ alternatives })),
  modalities: fc.constant(["text", "image"]),
  verbosity: fc.constantFrom("low", "high"),
  cacheKey: word,
  metadata: json,
  user: word,
  safetyIdentifier: word,
  serviceTier: fc.constant("flex"),
}).chain((drawnFields) => {
  const choice = fc.constantFrom<TextRequest["toolChoice"]>(undefined, { mode: "required" }, { mode: "none" });
  return choice.map((toolChoice) => ({
    ...drawnFields,
    ...(drawnFields["tools"] !== undefined && toolChoice !== undefined ? { toolChoice } : {}),
  })) as fc.Arbitrary<Partial<TextRequest>>;
});

test("a request that this wire can express is unchanged after rendering and parsing", () => {
  fc.assert(
    fc.property(request(turns, fields), (drawnRequest) => {
      const { body, dropped } = responsesWire.vendor.render(drawnRequest, target);
      expect(dropped).toEqual([]);
      const parsedBody = responsesWire.client.read(JSON.parse(JSON.stringify(body)));
      expect(parsedBody.dropped).toEqual([]);
      expect({ ...parsedBody.request, turns: merged(parsedBody.request.turns) }).toEqual({
        ...drawnRequest,
        turns: merged(drawnRequest.turns),
      });
    }),
  );
});

const answers = answer(
  fc
    .array(fc.oneof(textPart, reasoningPart, plainImage, vendorItem, compaction, functionCall, customCall, refusal), {
      minLength: 1,
      maxLength: 6,
    })
    .map(numbered),
  fc.constantFrom("stop", "length", "filtered"),
).map(endedByRefusal);
/** Parsed answers have the time of rendering, and a service tier. */
const asAnswered = (whole: TextAnswer): TextAnswer => ({
  ...whole,
  createdAt: 1_763_700_000,
  serviceTier: whole.serviceTier ?? "default",
});

test.each<readonly [TextAnswer["choices"][number]["finish"], string]>([
  ["tool-calls", "completed"],
  ["length", "incomplete"],
  ["filtered", "incomplete"],
])("the last item of an answer that ends with %s is %s, streamed or not", (finish, status) => {
  const call = { kind: "tool-call", id: "call_1", name: "f", arguments: '{"path":"/tm' } as const;
  const parts: readonly Part[] = [{ kind: "text", text: "Hi" }, call];
  const cut: TextAnswer = { id: "a", model: "m", createdAt: 1, choices: [{ parts, finish }] };
  const items = [
    { type: "message", status: "completed" },
    { type: "function_call", status },
  ];
  expect(responsesWire.client.render(cut, contextFor())).toMatchObject({ output: items });
  const last = framesOf(written(responsesWire.client.stream(contextFor()), cut)).at(-1);
  expect(JSON.parse(last?.data ?? "{}")).toMatchObject({ response: { output: items } });
});

describe("answers", () => {
  testsOfAnswers({
    wire: responsesWire,
    answered: answers,
    expected: asAnswered,
    streamed: ({ serviceTier: _tier, ...answer }) => answer,
  });

  test("a stream has consecutive numbers and stable ids, and ends with the complete answer", () => {
    fc.assert(
      fc.property(answers, (whole) => {
        const events = framesOf(written(responsesWire.client.stream(contextFor()), whole)).map(({ event, data }) => {
          const body = JSON.parse(data);
          expect(body.type).toBe(event);
          return body;
        });
        expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, index) => index));
        const last = events.at(-1);
        const done = events.filter(({ type }) => type === "response.output_item.done");
        expect(last.response.output).toEqual(done.map(({ item }) => item));
        expect(done.map(({ output_index: at }) => at)).toEqual(done.map((_, index) => index));
        const ids = done.map(({ item }) => item.id);
        for (const event of events) {
          if (event.item_id !== undefined) expect(event.item_id).toBe(ids[event.output_index]);
          if (event.type === "response.output_item.added") expect(event.item.id).toBe(ids[event.output_index]);
        }
        const { completed_at: _, ...sent } = last.response;
        expect(responsesWire.client.render(whole, contextFor())).toMatchObject(sent);
      }),
    );
  });
});

test("a stream renders reasoning, text and a call event by event", () => {
  const stream = written(responsesWire.client.stream(contextFor()), {
    id: "x",
    model: "y",
    createdAt: 0,
    choices: [
      {
        finish: "tool-calls",
        parts: [
          { kind: "reasoning", text: "Look up" },
          { kind: "reasoning", text: "Oslo?", summary: false },
          { kind: "text", text: "Hello" },
          { kind: "tool-call", id: "call_a1", name: "get_weather", arguments: '{"city":"Oslo"}' },
        ],
      },
    ],
  });
  expect(framesOf(stream).map(({ event }) => event)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.content_part.added",
    "response.reasoning_text.delta",
    "response.reasoning_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
  ]);
});

const call = (part: number, id: string): TextEvent => ({
  type: "part-start",
  choice: 0,
  part,
  opened: { kind: "tool-call", id, name: id },
});
const piece = (part: number, text: string): TextEvent => ({ type: "part-delta", choice: 0, part, text });
const partEnd = (part: number): TextEvent => ({ type: "part-end", choice: 0, part });

test("interleaved calls are sent one after another", () => {
  const writer = responsesWire.client.stream(contextFor());
  const events: readonly TextEvent[] = [
    { type: "start", id: "", model: "", createdAt: 0 },
    call(0, "a"),
    call(1, "b"),
    piece(0, "{"),
    piece(1, "["),
    call(2, "c"),
    piece(0, "}"),
    partEnd(0),
    piece(1, "]"),
    partEnd(1),
    piece(2, "3"),
    partEnd(2),
    { type: "finish", choice: 0, reason: "tool-calls" },
  ];
  const stream = events.map((event) => writer.write(event)).join("") + writer.end();
  expect(readBack(responsesWire.vendor.stream(), stream).choices[0]?.parts).toEqual([
    { kind: "tool-call", id: "a", name: "a", arguments: "{}" },
    { kind: "tool-call", id: "b", name: "b", arguments: "[]" },
    { kind: "tool-call", id: "c", name: "c", arguments: "3" },
  ]);
});

test("a broken stream ends as failed, with the sent items and the open one", () => {
  const writer = responsesWire.client.stream(contextFor());
  const text = [
    writer.write({ type: "part-start", choice: 0, part: 0, opened: { kind: "text" } }),
    writer.write(piece(0, "Hal")),
    writer.fail(new Failure("upstream_timeout")),
  ].join("");
  const last = JSON.parse(framesOf(text).at(-1)?.data ?? "");
  expect(last).toMatchObject({
    type: "response.failed",
    response: {
      status: "failed",
      error: { code: "server_error" },
      output: [{ type: "message", status: "incomplete", content: [{ text: "Hal" }] }],
    },
  });
  expect(framesOf(text)[0]?.event).toBe("response.created");
});

test("the answer repeats the request's settings, and has defaults for the rest", () => {
  const clientBody = { model: "m", temperature: 0, tools: round.tools, store: false, text: { verbosity: "low" } };
  const whole = { id: "", model: "", createdAt: 0, choices: [{ parts: [], finish: "stop" as const }] };
  expect(responsesWire.client.render(whole, contextFor({}, clientBody))).toMatchObject({
    id: "resp_abc",
    object: "response",
    status: "completed",
    model: "mine",
    temperature: 0,
    top_p: 1,
    store: false,
    tools: round.tools,
    tool_choice: "auto",
    text: { verbosity: "low", format: { type: "text" } },
    reasoning: { effort: null, summary: null },
    usage: null,
  });
});

describe("another vendor's signature", () => {
  const foreign = { wire: "content", kind: "thoughtSignature", value: "c2lnbmVk" } as const;
  const whole = (parts: readonly Part[]) => ({
    id: "",
    model: "",
    createdAt: 0,
    choices: [{ parts, finish: "stop" as const }],
  });

  test.each<readonly [string, Part]>([
    ["a call", { kind: "tool-call", id: "call_1", name: "f", arguments: "{}", signature: foreign }],
    ["a text", { kind: "text", text: "hi", signature: foreign }],
    [
      "an image",
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" }, signature: foreign },
    ],
  ])("on %s is returned on it, and sent to no other vendor", (_, part) => {
    const { output } = responsesWire.client.render(whole([part]), contextFor());
    const back = parse({ input: JSON.parse(JSON.stringify(output)) });
    expect(back.request.turns).toEqual([{ role: "assistant", parts: [part] }]);
    const again = JSON.stringify(render({ turns: back.request.turns }).body);
    expect(again).not.toContain("c2lnbmVk");
    expect(again).not.toContain("encrypted_content");
  });

  test("on reasoning is returned on it, and the reasoning is dropped elsewhere", () => {
    const part: Part = {
      kind: "reasoning",
      text: "hm",
      summary: true,
      id: "rs_1",
      signature: { ...foreign, wire: "messages" },
    };
    const { output } = responsesWire.client.render(whole([part]), contextFor());
    const { request } = parse({ input: JSON.parse(JSON.stringify(output)) });
    expect(request.turns[0]?.parts).toEqual([part]);
    expect(render({ turns: request.turns }).dropped).toEqual(["turn.reasoning"]);
  });
});

test("the wrapped call of a free-text tool is unwrapped for its client", () => {
  const context = contextFor({ tools: [{ kind: "custom", name: "patch" }] });
  const part: Part = { kind: "tool-call", id: "call_1", name: "patch", arguments: '{"input":"*** Begin"}' };
  const whole = { id: "", model: "", createdAt: 0, choices: [{ parts: [part], finish: "tool-calls" as const }] };
  expect(responsesWire.client.render(whole, context)).toMatchObject({
    output: [{ type: "custom_tool_call", name: "patch", input: "*** Begin" }],
  });
  const back = readBack(responsesWire.vendor.stream(), written(responsesWire.client.stream(context), whole));
  expect(back.choices[0]?.parts).toEqual([{ ...part, custom: true, arguments: "*** Begin" }]);
});

test("an item's id includes the response's id", () => {
  for (const id of ["resp_A1b", "resp_XfQ_uQ-2z_7"]) expect(responseOfItem(itemId(id, "rs", 12))).toBe(id);
  for (const other of ["msg_68af05d2", "call_abc_0", "rs_0", "constructor"])
    expect(responseOfItem(other)).toBeUndefined();
});

describe("an invalid request", () => {
  test.each([
    ["conversation", { conversation: "conv_1" }, "unsupported_parameter", "conversation"],
    ["prompt", { prompt: { id: "pmpt_1" } }, "unsupported_parameter", "prompt"],
    ["background", { background: true }, "unsupported_parameter", "background"],
    ["an unresolved response", { previous_response_id: "resp_1" }, "unsupported_parameter", "previous_response_id"],
    ["an unresolved item", { input: [{ type: "item_reference", id: "msg_1" }] }, "invalid_value", "input[0].id"],
    ["an untyped reference", { input: [{ id: "msg_1" }] }, "invalid_value", "input[0].id"],
    ["an unknown item", { input: [{ type: "riddle" }] }, "invalid_value", "input[0].type"],
    ["no input", { input: null }, "missing_required_parameter", "input"],
    [
      "an item named like a member of every object",
      { input: [{ type: "constructor" }] },
      "invalid_value",
      "input[0].type",
    ],
    [
      "a part named like a member of every object",
      { input: [{ role: "user", content: [{ type: "toString" }] }] },
      "invalid_value",
      "input[0].content[0].type",
    ],
    ["a wrong role", { input: [{ role: "judge", content: "" }] }, "invalid_value", "input[0].role"],
    [
      "a wrong text",
      { input: [{ role: "user", content: [{ type: "input_text", text: 3 }] }] },
      "invalid_value",
      "input[0].content[0].text",
    ],
    [
      "a call without id",
      { input: [{ type: "function_call", name: "f" }] },
      "missing_required_parameter",
      "input[0].call_id",
    ],
    ["a wrong number", { temperature: "1" }, "invalid_value", "temperature"],
  ])("%s", (_, body, code, param) => {
    expect(() => parse({ input: "hi", ...body })).toThrow(expect.objectContaining({ code, param }));
  });

  test.each([
    [{ background: false, store: true, stream_options: { include_obfuscation: false }, truncation: "disabled" }, []],
    [{ truncation: "auto" }, ["truncation"]],
    [{ stream_options: { include_obfuscation: true } }, ["stream_options"]],
    [{ max_tool_calls: 3, context_management: [{ type: "compaction" }] }, ["max_tool_calls", "context_management"]],
    [{ include: ["reasoning.encrypted_content"] }, []],
    [{ include: ["file_search_call.results"] }, ["include"]],
    [{ input: [{ role: "assistant", content: "x", phase: "commentary" }] }, ["input[].phase"]],
    [{ something_new: 1 }, ["something_new"]],
  ])("%j drops %j", (body, dropped) => {
    expect(parse({ input: "hi", ...body }).dropped).toEqual(dropped);
  });

  test("a compaction trigger is passed to the service", () => {
    const { compactionTrigger, request } = parse({
      input: [{ role: "user", content: "x" }, { type: "compaction_trigger" }],
    });
    expect(compactionTrigger).toBe(true);
    expect(request.turns).toHaveLength(1);
  });
});

describe("a field that a vendor of this wire does not support", () => {
  const userTurn = (part: Part): Partial<TextRequest> => ({ turns: [{ role: "user", parts: [part] }] });
  test.each<readonly [string, Partial<TextRequest>, string]>([
    ["stop", { stop: ["x"] }, "stop"],
    ["several choices", { choices: 2 }, "choices"],
    ["speech", { modalities: ["audio"] }, "modalities"],
    [
      "another vendor's tool",
      { tools: [{ kind: "vendor", wire: "content", name: "computerUse", definition: {} }] },
      "tools: computerUse",
    ],
    ["video", userTurn({ kind: "video", source: { kind: "url", url: "https://v.example" } }), "video parts"],
    [
      "another vendor's file",
      userTurn({ kind: "file", source: { kind: "file-id", wire: "messages", id: "f" } }),
      "file ids of another vendor",
    ],
  ])("%s is refused", (_, fields, param) => {
    expect(() => render(fields)).toThrow(expect.objectContaining({ code: "unsupported_parameter", param }));
  });

  test.each<readonly [Partial<TextRequest>, readonly string[]]>([
    [
      { seed: 1, topK: 2, presencePenalty: 0, frequencyPenalty: 0, logitBias: {} },
      ["seed", "topK", "presencePenalty", "frequencyPenalty", "logitBias"],
    ],
    [{ choices: 1, stop: [] }, []],
    [{ toolChoice: { mode: "auto" } }, ["toolChoice"]],
    [{ tools: [{ kind: "web-search", wire: "content", options: {} }] }, []],
    [
      { tools: [{ kind: "web-search", wire: "messages", options: { max_uses: 1 }, commonOptions: { maxUses: 1 } }] },
      ["tools.web-search.options"],
    ],
    [userTurn({ kind: "text", text: "x", cache: {} }), ["text.cache"]],
    [userTurn({ kind: "tool-result", callId: "c", parts: [], isError: true }), ["tool-result.is-error"]],
  ])("%j drops %j", (fields, dropped) => {
    expect(render(fields).dropped).toEqual(dropped);
  });
});

describe("a vendor's stream", () => {
  const frame = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;

  test("unknown events are skipped; text that came without deltas is emitted", () => {
    const stream =
      frame({ type: "response.created", response: { id: "r", model: "m", created_at: 5 } }) +
      frame({ type: "response.riddle.delta", delta: "?" }) +
      frame({ type: "constructor" }) +
      frame({ type: "response.output_text.done", output_index: 0, content_index: 0, text: "all" }) +
      frame({ type: "response.output_item.done", output_index: 0, item: { type: "message", content: [] } }) +
      frame({
        type: "response.completed",
        response: { status: "completed", usage: { input_tokens: 2, output_tokens: 1 } },
      });
    expect(readBack(responsesWire.vendor.stream(), stream)).toEqual({
      id: "r",
      model: "m",
      createdAt: 5,
      choices: [{ parts: [{ kind: "text", text: "all" }], finish: "stop" }],
      usage: { inputTokens: 2, outputTokens: 1 },
    });
  });

  test("several summary paragraphs become one reasoning part with blank lines", () => {
    const at = { output_index: 0, item_id: "rs_1" };
    const stream =
      frame({ type: "response.created", response: {} }) +
      frame({ type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta: "a" }) +
      frame({ type: "response.reasoning_summary_text.done", ...at, summary_index: 0, text: "a" }) +
      frame({ type: "response.reasoning_summary_text.delta", ...at, summary_index: 1, delta: "b" }) +
      frame({
        type: "response.output_item.done",
        output_index: 0,
        item: { type: "reasoning", encrypted_content: "s" },
      });
    expect(readBack(responsesWire.vendor.stream(), stream).choices[0]?.parts).toEqual([
      {
        kind: "reasoning",
        text: "a\n\nb",
        summary: true,
        id: "rs_1",
        signature: { wire: "responses", kind: "encrypted_content", value: "s" },
      },
    ]);
  });

  test.each([
    [{ type: "error", code: "rate_limit_exceeded", message: "slow" }, "rate_limit_exceeded", "slow"],
    [{ type: "response.failed", response: { error: { code: "server_error", message: "no" } } }, "server_error", "no"],
  ])("%j is a failure", (body, code, message) => {
    const reader = responsesWire.vendor.stream();
    expect(eventsOf(reader, frame(body))).toEqual([{ type: "failure", code, message }]);
    expect(reader.isComplete).toBe(false);
  });

  test("a cut stream ends its parts and is incomplete", () => {
    const reader = responsesWire.vendor.stream();
    const events = eventsOf(
      reader,
      frame({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "x" }),
    );
    expect(events.map(({ type }) => type)).toEqual(["part-start", "part-delta", "part-end"]);
    expect(reader.isComplete).toBe(false);
  });
});

test.each([
  [
    { input_tokens: 1249, input_tokens_details: { cached_tokens: 1024, cache_write_tokens: 200 }, output_tokens: 40 },
    { inputTokens: 25, cachedInputTokens: 1024, cacheWriteTokens: 200, outputTokens: 40 },
  ],
  [
    { input_tokens: 10, input_tokens_details: { cached_tokens: 99 }, output_tokens: 1 },
    { inputTokens: 0, cachedInputTokens: 99, outputTokens: 1 },
  ],
  [null, undefined],
  [{}, undefined],
])("usage %j", (usage, units) => {
  expect(responsesUsage(usage)).toEqual(units);
});

test("an answer above the size limit fails, and is never sent in part", () => {
  const writer = responsesWire.client.stream(contextFor());
  writer.write({ type: "part-start", choice: 0, part: 0, opened: { kind: "text" } });
  const much = "x".repeat(2 ** 20);
  expect(() => {
    for (let sent = 0; sent <= maxOutputCharacters; sent += much.length) writer.write(piece(0, much));
  }).toThrow(expect.objectContaining({ code: "upstream_error" }));
});

test("too much buffered text for another part fails", () => {
  const writer = responsesWire.client.stream(contextFor());
  for (const event of [call(0, "a"), call(1, "b")]) writer.write(event);
  expect(() => writer.write(piece(1, "x".repeat(maxWaiting)))).toThrow(
    expect.objectContaining({ code: "upstream_error" }),
  );
});
