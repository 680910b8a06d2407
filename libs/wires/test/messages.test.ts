import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseDecoder } from "../src/sse/decode.ts";
import { chatCodec } from "../src/text/chat/index.ts";
import { contentCodec } from "../src/text/content/index.ts";
import type { TextAnswer, TextEvent } from "../src/text/hub/answer.ts";
import type { Part, TextPart, ToolResultPart } from "../src/text/hub/part.ts";
import type { JsonObject, TextRequest } from "../src/text/hub/request.ts";
import { takesAdaptiveOnly } from "../src/text/messages/generations.ts";
import { messagesCodec } from "../src/text/messages/index.ts";
import { messagesPass } from "../src/text/messages/pass.ts";
import { mostHeld } from "../src/text/messages/reader.ts";
import { unsealed } from "../src/text/hub/seals.ts";
import { messagesUsage } from "../src/text/messages/usage.ts";
import { responsesCodec } from "../src/text/responses/index.ts";
import {
  answer,
  dialogue,
  functionCall,
  functionTool,
  imageBytes,
  json,
  merged,
  numbered,
  record,
  request,
  sampling,
  seal,
  word,
} from "./arbitraries.ts";
import { contextFor, eventsOf, framesOf, readBack, testsOfAnswers, toolRound, weather, written } from "./harness.ts";

const target = { model: "theirs", defaultMaxTokens: 1000 };
const adaptive = { model: "claude-opus-4-7", defaultMaxTokens: 1000 };
const parse = (body: JsonObject) =>
  messagesCodec.parseRequest({ model: "m", max_tokens: 9, messages: [], ...body }, {});
const render = (fields: Partial<TextRequest>, to = target) =>
  messagesCodec.renderRequest({ model: "m", stream: false, instructions: [], turns: [], ...fields }, to);
const user = (...parts: readonly Part[]): Partial<TextRequest> => ({ turns: [{ role: "user", parts }] });
const text = (said: string): TextPart => ({ kind: "text", text: said });
const calling = (id: string): Part => ({ kind: "tool-call", id, name: "f", arguments: "{}" });
const result = (callId: string): ToolResultPart => ({ kind: "tool-result", callId, name: "f", parts: [text("ok")] });
const tools = [
  { kind: "function", name: "f" },
  { kind: "function", name: "g" },
] as const;

const round = {
  model: "m",
  max_tokens: 2348,
  thinking: { type: "enabled", budget_tokens: 2048 },
  system: "Be brief.",
  tool_choice: { type: "auto", disable_parallel_tool_use: true },
  tools: [{ name: "get_weather", description: "Weather now", input_schema: weather }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "Weather in this city?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I check." },
        { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Oslo" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: '{"temp":4}' }] },
  ],
};
const roundRequest: TextRequest = {
  ...toolRound,
  parallelTools: false,
  maxTokens: 2348,
  reasoning: { budgetTokens: 2048, show: "summary" },
};

test("one tool round, read and written", () => {
  expect(messagesCodec.parseRequest(round, {})).toEqual({ request: roundRequest, dropped: [] });
  const { body, dropped } = messagesCodec.renderRequest(roundRequest, { ...target, model: "m" });
  // The call's turn has no thoughts of the vendor, which it would refuse while it thinks.
  expect(dropped).toEqual(["reasoning"]);
  expect(body).toEqual({ ...round, thinking: { type: "disabled" } });
});

test("the round in another wire's words becomes the same", () => {
  const turns = roundRequest.turns.slice(0, 1);
  const { body } = render({ ...roundRequest, turns, maxTokens: 300, reasoning: { effort: "low" } });
  expect(body).toEqual({ ...round, model: "theirs", messages: round.messages.slice(0, 1) });
});

const said = word.filter((words) => words.trim() !== "");
const textPart: fc.Arbitrary<Part> = said.map(text);
const cache = fc.constantFrom({}, { lifetime: "1h" as const });
const kept = seal("messages", "signature");
const thought: fc.Arbitrary<Part> = fc.record({ kind: fc.constant("reasoning"), text: word, seal: kept });
const redacted: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("reasoning"),
  text: fc.constant(""),
  seal: seal("messages", "redacted"),
});
const image: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant("image" as const), source: imageBytes }),
  fc.record({
    kind: fc.constant("image" as const),
    source: fc.constant({ kind: "url" as const, url: "https://pictures.example/1" }),
    cache,
  }),
);
const file: fc.Arbitrary<Part> = fc
  .record({
    source: fc.constantFrom(
      { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
      { kind: "text", text: "plain" },
      { kind: "url", url: "https://files.example/a.pdf" },
      { kind: "file-id", wire: "messages", id: "file_1" },
    ),
    more: record({ title: word, context: word, citations: fc.constant(true), cache }),
  })
  .map(({ source, more }) => ({ kind: "file", source, ...(more as object) }));
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
const vendorBlock: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { kind: "vendor", wire: "messages", value: search },
  {
    kind: "vendor",
    wire: "messages",
    value: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
  },
);
const cited: fc.Arbitrary<Part> = said.map((words) => ({
  kind: "text",
  text: words,
  citations: [
    {
      url: "https://a.example",
      title: "A",
      citedText: "a",
      own: {
        wire: "messages",
        value: {
          type: "web_search_result_location",
          url: "https://a.example",
          title: "A",
          encrypted_index: "e",
          cited_text: "a",
        },
      },
    },
  ],
}));
const resultParts = fc.oneof(
  word.map((words) => [{ kind: "text" as const, text: words }]),
  fc.tuple(
    said.map((words) => ({ kind: "text" as const, text: words })),
    fc.record({ kind: fc.constant("image" as const), source: imageBytes }),
  ),
);
const turnsWith = (call: typeof functionCall) =>
  dialogue(
    fc.oneof(
      textPart,
      said.map((words) => ({ kind: "text" as const, text: words, cache: {} })),
      image,
      file,
    ),
    fc.oneof(textPart, thought, redacted, vendorBlock, cited),
    call,
    resultParts,
  );
const turns = turnsWith(functionCall);
/** Turns of a conversation without calls: only there may thinking be switched on in its midst. */
const plainTurns = turns.map((all) =>
  all.flatMap(({ role, parts }) => {
    const rest = parts.filter(({ kind }) => kind !== "tool-call" && kind !== "tool-result");
    return rest.length > 0 ? [{ role, parts: rest }] : [];
  }),
);
const shared = {
  tools: fc.array(
    fc.oneof(
      functionTool,
      functionTool.map((tool) => ({ ...tool, strict: true, cache: {} })),
      fc.constant({ kind: "web-search" as const, wire: "messages" as const, options: { max_uses: 3 } }),
      fc.constant({
        kind: "vendor" as const,
        wire: "messages" as const,
        name: "bash",
        definition: { type: "bash_20250124", name: "bash" },
      }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  stop: fc.array(said, { minLength: 1, maxLength: 6 }),
  format: fc.record({ kind: fc.constant("schema" as const), schema: json }),
  user: word,
  serviceTier: fc.constantFrom("auto", "default"),
};
const fields = record({
  ...shared,
  ...sampling,
  topK: fc.nat(99),
  reasoning: fc.constant({ effort: "none" }),
}).chain((drawn) =>
  fc
    .record({
      toolChoice: fc.constantFrom<TextRequest["toolChoice"]>(
        { mode: "auto" },
        { mode: "required" },
        { mode: "required", names: ["f"] },
        { mode: "none" },
      ),
      one: fc.boolean(),
      maxTokens: fc.integer({ min: 1, max: 9999 }),
    })
    .map(({ toolChoice, one, maxTokens }) => ({
      ...(drawn as Partial<TextRequest>),
      maxTokens,
      ...(drawn["tools"] === undefined ? {} : { toolChoice }),
      ...(drawn["tools"] === undefined || !one || toolChoice?.mode === "none" ? {} : { parallelTools: false }),
    })),
);
const thinkingFields = fc
  .record({
    budgetTokens: fc.integer({ min: 1024, max: 9000 }),
    show: fc.constantFrom("summary" as const, "none" as const),
    more: record({ ...shared, topP: fc.constantFrom(0.95, 1) }),
  })
  .map(({ budgetTokens, show, more }): Partial<TextRequest> => ({
    ...(more as Partial<TextRequest>),
    maxTokens: 9999,
    reasoning: { budgetTokens, show },
  }));
const adaptiveFields = fc
  .record({
    wish: fc.oneof(
      fc.constant({ budgetTokens: -1 }),
      fc.record({ effort: fc.constantFrom("low", "medium", "high", "xhigh", "max") }),
    ),
    show: fc.constantFrom("summary" as const, "none" as const),
    more: record(shared),
  })
  .map(({ wish, show, more }): Partial<TextRequest> => ({
    ...(more as Partial<TextRequest>),
    maxTokens: 300,
    reasoning: { ...wish, show } as NonNullable<TextRequest["reasoning"]>,
  }));
const speakable = (asked: TextRequest): TextRequest => ({
  ...asked,
  instructions: asked.instructions.filter((part) => part.text.trim() !== ""),
});

test.each([
  ["with calls", turns, fields, target],
  ["with thoughts", plainTurns, thinkingFields, target],
  ["of the newest models", turns, adaptiveFields, adaptive],
])("a request %s that this wire can say survives it", (_, drawnTurns, drawnFields, to) => {
  fc.assert(
    fc.property(request(drawnTurns, drawnFields).map(speakable), (asked) => {
      const { body, dropped } = messagesCodec.renderRequest(asked, to);
      expect(dropped).toEqual([]);
      const back = messagesCodec.parseRequest({ ...JSON.parse(JSON.stringify(body)), model: "theirs" }, {});
      expect(back.dropped).toEqual([]);
      expect(back.request).toEqual({ ...asked, turns: merged(asked.turns) });
    }),
  );
});

const unsealedThought: fc.Arbitrary<Part> = word.map((words) => ({ kind: "reasoning", text: words }));
const answered = answer(
  fc
    .array(fc.oneof(textPart, cited, thought, unsealedThought, redacted, vendorBlock, functionCall), {
      minLength: 1,
      maxLength: 6,
    })
    .map(numbered),
  fc.constantFrom("stop", "length", "refused", "paused", "context-full"),
);
/** Where the vendor reported no usage, this wire tells the gateway's own count of the input. */
const asTold = (whole: TextAnswer): TextAnswer => ({
  ...whole,
  usage: whole.usage ?? { inputTokens: 3, outputTokens: 0 },
});

/** What a client's SDK makes of a stream: blocks put together out of their deltas. */
function assembled(stream: string): JsonObject {
  const message: JsonObject[] = [];
  let open: any;
  let head: any = {};
  const pieces: string[] = [];
  for (const { event, data } of framesOf(stream)) {
    const body = JSON.parse(data);
    expect(body.type).toBe(event);
    if (event === "message_start") head = body.message;
    if (event === "content_block_start") {
      expect(open).toBeUndefined();
      expect(body.index).toBe(message.length);
      open = body.content_block;
    }
    if (event === "content_block_delta") {
      expect(body.index).toBe(message.length);
      const { type, ...delta } = body.delta;
      if (type === "text_delta") open.text += delta.text;
      if (type === "thinking_delta") open.thinking += delta.thinking;
      if (type === "signature_delta") open.signature = delta.signature;
      if (type === "citations_delta") open.citations = [...(open.citations ?? []), delta.citation];
      if (type === "input_json_delta") pieces.push(delta.partial_json);
    }
    if (event === "content_block_stop") {
      expect(body.index).toBe(message.length);
      const all = pieces.splice(0).join("");
      message.push(all === "" ? open : { ...open, input: JSON.parse(all) });
      open = undefined;
    }
    if (event === "message_delta") head = { ...head, ...body.delta, usage: body.usage };
  }
  return { ...head, content: message };
}

describe("answers", () => {
  testsOfAnswers({ codec: messagesCodec, answered, told: asTold });

  test("a stream tells blocks one after another, and comes to the whole answer", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        const stream = written(messagesCodec.writer(contextFor()), whole);
        expect(assembled(stream)).toEqual(messagesCodec.renderAnswer(whole, contextFor()));
      }),
    );
  });

  test("any split of the bytes gives the same events", () => {
    fc.assert(
      fc.property(answered, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
        const stream = written(messagesCodec.writer(contextFor()), whole);
        const bytes = Buffer.from(stream);
        const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((left, right) => left - right), bytes.length];
        const decoder = new SseDecoder();
        const frames = at.flatMap((start, index) => decoder.push(bytes.subarray(start, at[index + 1] ?? start)));
        const reader = messagesCodec.reader();
        const events: readonly TextEvent[] = [...frames, ...decoder.end()].flatMap((frame) => reader.read(frame));
        expect([...events, ...reader.end()]).toEqual(eventsOf(messagesCodec.reader(), stream));
      }),
    );
  });

  test.each([
    ["chat", chatCodec],
    ["content", contentCodec],
    ["responses", responsesCodec],
  ])("a vendor's %s stream becomes the client's messages, event by event, and back", (_, other) => {
    const common = answer(
      fc
        .tuple(textPart, fc.array(functionCall, { maxLength: 3 }))
        .map(([words, calls]): readonly Part[] => [
          words,
          ...calls.map((call, index) => ({ ...call, id: `${call.id}${index}` })),
        ]),
      fc.constantFrom("stop", "length"),
    );
    const context = contextFor({ includeUsage: true });
    const usual = ({ choices, usage }: TextAnswer): object => ({ choices, usage });
    fc.assert(
      fc.property(common, (drawn) => {
        const whole = asTold(drawn);
        for (const [vendor, client] of [
          [other, messagesCodec],
          [messagesCodec, other],
        ] as const) {
          const writer = client.writer(context);
          const events = eventsOf(vendor.reader(), written(vendor.writer(context), whole));
          const stream = events.map((event) => writer.write(event)).join("") + writer.end();
          expect(usual(readBack(client.reader(), stream))).toEqual(usual(whole));
        }
      }),
    );
  });
});

describe("what a request says", () => {
  test.each<readonly [string, JsonObject, Partial<TextRequest>]>([
    [
      "thinking without a budget",
      { thinking: { type: "adaptive" } },
      { reasoning: { budgetTokens: -1, show: "summary" } },
    ],
    [
      "an effort beside thoughts that are not shown",
      { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "high" } },
      { reasoning: { effort: "high", show: "none" } },
    ],
    ["an effort alone", { output_config: { effort: "max" } }, { reasoning: { effort: "max" } }],
    ["no thinking", { thinking: { type: "disabled" } }, { reasoning: { effort: "none" } }],
    ["a named tool", { tool_choice: { type: "tool", name: "f" } }, { toolChoice: { mode: "required", names: ["f"] } }],
    [
      "several tools at once",
      { tool_choice: { type: "any", disable_parallel_tool_use: false } },
      { toolChoice: { mode: "required" } },
    ],
    [
      "a tool without arguments",
      { tools: [{ name: "f", type: "custom", input_schema: { type: "object" } }] },
      { tools: [{ kind: "function", name: "f" }] },
    ],
    [
      "another search",
      { tools: [{ type: "web_search_20260209", name: "web_search", max_uses: 1 }] },
      { tools: [{ kind: "web-search", wire: "messages", options: { type: "web_search_20260209", max_uses: 1 } }] },
    ],
    ["a tier", { service_tier: "standard_only" }, { serviceTier: "default" }],
    [
      "instructions as blocks",
      { system: [{ type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "5m" } }] },
      { instructions: [{ kind: "text", text: "s", cache: { lifetime: "5m" } }] },
    ],
    [
      "instructions as messages",
      {
        messages: [
          { role: "system", content: "a" },
          { role: "user", content: "b" },
          { role: "system", content: "c" },
        ],
      },
      {
        instructions: [{ kind: "text", text: "a" }],
        turns: [
          { role: "user", parts: [text("b")] },
          { role: "system", parts: [text("c")] },
        ],
      },
    ],
  ])("%s", (_, body, fields) => {
    const { request, dropped } = parse(body);
    expect(request).toEqual({ model: "m", maxTokens: 9, stream: false, instructions: [], turns: [], ...fields });
    expect(dropped).toEqual([]);
  });

  test.each<readonly [string, JsonObject, readonly Part[]]>([
    [
      "a document as plain text",
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "words" },
        citations: { enabled: false },
      },
      [{ kind: "file", source: { kind: "text", text: "words" } }],
    ],
    [
      "a document of blocks",
      {
        type: "document",
        title: "T",
        source: {
          type: "content",
          content: [
            { type: "text", text: "a" },
            { type: "image", source: { type: "url", url: "https://p.example/1" } },
            { type: "text", text: "b" },
          ],
        },
      },
      [
        { kind: "file", source: { kind: "text", text: "a\n\nb" }, title: "T" },
        { kind: "image", source: { kind: "url", url: "https://p.example/1" } },
      ],
    ],
    [
      "a document of one text",
      { type: "document", source: { type: "content", content: "a" } },
      [{ kind: "file", source: { kind: "text", text: "a" } }],
    ],
    [
      "a failed tool's result with what a search found",
      {
        type: "tool_result",
        tool_use_id: "t",
        is_error: true,
        content: [{ type: "search_result", title: "T", source: "S", content: [{ type: "text", text: "x" }] }],
      },
      [{ kind: "tool-result", callId: "t", parts: [text("T\n\nS\n\nx")], isError: true }],
    ],
    [
      "thoughts that nobody sealed",
      { type: "thinking", thinking: "hm", signature: unsealed },
      [{ kind: "reasoning", text: "hm" }],
    ],
    [
      "a block of the vendor",
      { type: "mcp_tool_use", id: "1" },
      [{ kind: "vendor", wire: "messages", value: { type: "mcp_tool_use", id: "1" } }],
    ],
    [
      "a block named like what every object has",
      { type: "constructor" },
      [{ kind: "vendor", wire: "messages", value: { type: "constructor" } }],
    ],
  ])("%s", (_, block, parts) => {
    const { request, dropped } = parse({ messages: [{ role: "user", content: [block] }] });
    expect(request.turns).toEqual([{ role: "user", parts }]);
    expect(dropped).toEqual([]);
  });
});

describe("what a request may not hold", () => {
  const said = (block: JsonObject): JsonObject => ({ messages: [{ role: "user", content: [block] }] });
  test.each<readonly [string, JsonObject, string, string]>([
    ["no bound of the output", { max_tokens: null }, "missing_required_parameter", "max_tokens"],
    ["a wrong bound", { max_tokens: 0 }, "invalid_value", "max_tokens"],
    ["no messages", { messages: null }, "missing_required_parameter", "messages"],
    ["no model", { model: null }, "missing_required_parameter", "model"],
    ["a container", { container: "c" }, "unsupported_parameter", "container"],
    ["servers of the vendor's", { mcp_servers: [] }, "unsupported_parameter", "mcp_servers"],
    ["a wrong role", { messages: [{ role: "judge", content: "" }] }, "invalid_value", "messages[0].role"],
    [
      "an image as an instruction",
      { system: [{ type: "image", source: { type: "url", url: "u" } }] },
      "invalid_value",
      "system",
    ],
    ["a wrong text", said({ type: "text", text: 3 }), "invalid_value", "messages[0].content[0].text"],
    ["a block without a type", said({ text: "x" }), "missing_required_parameter", "messages[0].content[0].type"],
    ["an image without a source", said({ type: "image" }), "invalid_value", "messages[0].content[0].source"],
    [
      "a strange source",
      said({ type: "image", source: { type: "smell" } }),
      "invalid_value",
      "messages[0].content[0].source.type",
    ],
    [
      "a call without id",
      said({ type: "tool_use", name: "f" }),
      "missing_required_parameter",
      "messages[0].content[0].id",
    ],
    [
      "a tool in a result",
      said({ type: "tool_result", tool_use_id: "t", content: [{ type: "tool_reference" }] }),
      "invalid_value",
      "messages[0].content[0].content",
    ],
    ["a wrong effort", { output_config: { effort: "some" } }, "invalid_value", "output_config.effort"],
    ["a strange format", { output_config: { format: { type: "xml" } } }, "invalid_value", "output_config.format.type"],
    ["a wrong choice", { tool_choice: { type: "perhaps" } }, "invalid_value", "tool_choice.type"],
    [
      "a wrong cache",
      { system: [{ type: "text", text: "s", cache_control: { ttl: "9m" } }] },
      "invalid_value",
      "system[0].cache_control.ttl",
    ],
  ])("%s", (_, body, code, param) => {
    expect(() => parse(body)).toThrow(expect.objectContaining({ code, param }));
  });

  test.each<readonly [JsonObject, readonly string[]]>([
    [{ cache_control: { type: "ephemeral" }, speed: "fast" }, ["cache_control", "speed"]],
    [{ metadata: { user_id: "u", team: "t" } }, ["metadata.team"]],
    [{ thinking: { type: "disabled" }, output_config: { effort: "high" } }, ["output_config.effort"]],
    [
      said({ type: "tool_use", id: "1", name: "f", input: {}, cache_control: {}, caller: { type: "direct" } }),
      ["messages[].content[].cache_control"],
    ],
    [{ tools: [{ name: "f", eager_input_streaming: true, defer_loading: true }] }, ["tools[].defer_loading"]],
  ])("%j drops %j", (body, dropped) => {
    expect(parse(body).dropped).toEqual(dropped);
  });
});

describe("thinking", () => {
  const asked = (fields: Partial<TextRequest>, to = target) => {
    const { body, dropped } = render({ ...user(text("hi")), ...fields }, to);
    return { ...body, dropped };
  };
  const budget = (tokens: number) => ({ type: "enabled", budget_tokens: tokens });

  test.each<readonly [string, Partial<TextRequest>, JsonObject]>([
    [
      "an effort is a budget, beyond the bound of the words",
      { maxTokens: 300, reasoning: { effort: "low" } },
      { max_tokens: 2348, thinking: budget(2048) },
    ],
    [
      "a bound above the budget stays",
      { maxTokens: 4000, reasoning: { effort: "low" } },
      { max_tokens: 4000, thinking: budget(2048) },
    ],
    ["a bound at the budget leaves no words", { maxTokens: 2048, reasoning: { effort: "low" } }, { max_tokens: 4096 }],
    ["without a bound the target's", { reasoning: { effort: "medium" } }, { max_tokens: 9192, thinking: budget(8192) }],
    [
      "the most is most of the bound",
      { maxTokens: 100_000, reasoning: { effort: "max" } },
      { max_tokens: 100_000, thinking: budget(80_000) },
    ],
    [
      "a small budget is the vendor's least",
      { maxTokens: 9999, reasoning: { budgetTokens: 1 } },
      { thinking: budget(1024) },
    ],
    ["as the model likes", { maxTokens: 9999, reasoning: { budgetTokens: -1 } }, { thinking: budget(8192) }],
    [
      "a wish to see thoughts is a wish for them",
      { maxTokens: 9999, reasoning: { show: "full" } },
      { thinking: budget(8192) },
    ],
    ["none", { reasoning: { effort: "none" } }, { max_tokens: 1000, thinking: { type: "disabled" } }],
    [
      "sampling beside thoughts",
      { reasoning: { effort: "low" }, temperature: 0, topP: 0.5, topK: 3 },
      { dropped: ["temperature", "topP", "topK"] },
    ],
    [
      "the default beside thoughts",
      { reasoning: { effort: "low" }, temperature: 1, topP: 0.99 },
      { dropped: [], top_p: 0.99 },
    ],
    [
      "a forced tool",
      { reasoning: { effort: "low" }, tools, toolChoice: { mode: "required" } },
      { dropped: ["reasoning"], thinking: { type: "disabled" }, tool_choice: { type: "any" } },
    ],
    [
      "a free one",
      { reasoning: { effort: "low" }, tools, toolChoice: { mode: "auto" } },
      { dropped: [], thinking: budget(2048) },
    ],
  ])("%s", (_, fields, expected) => {
    expect(asked(fields)).toMatchObject(expected);
  });

  test.each<readonly [string, Partial<TextRequest>, JsonObject]>([
    [
      "an effort",
      { reasoning: { effort: "minimal" } },
      { max_tokens: 1000, thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } },
    ],
    [
      "a budget",
      { reasoning: { budgetTokens: 9000, show: "none" } },
      { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "medium" } },
    ],
    ["sampling", { temperature: 0.2, topP: 0.9, topK: 1 }, { dropped: ["temperature", "topP", "topK"] }],
    ["sampling that is the default", { temperature: 1, topP: 1 }, { dropped: [] }],
    [
      "a forced tool",
      { reasoning: { effort: "low" }, tools, toolChoice: { mode: "required" } },
      { dropped: ["reasoning"], tool_choice: { type: "any" } },
    ],
  ])("%s at the newest models", (_, fields, expected) => {
    const body = asked(fields, adaptive);
    expect(body).toMatchObject(expected);
    for (const name of ["temperature", "top_p", "top_k"]) expect(body).not.toHaveProperty(name);
    expect(asked({ reasoning: { effort: "none" } }, adaptive)).not.toHaveProperty("thinking");
  });

  test("some models take one of temperature and top_p", () => {
    const both = { temperature: 0.5, topP: 0.5 };
    expect(asked(both, { ...target, model: "claude-sonnet-4-5-20250929" })).toMatchObject({
      temperature: 0.5,
      dropped: ["topP"],
    });
    expect(asked(both, { ...target, model: "claude-3-5-haiku-20241022" })).toMatchObject({
      temperature: 0.5,
      top_p: 0.5,
    });
  });

  test.each([
    ["claude-opus-4-7", true],
    ["claude-4.7-opus", true],
    ["anthropic/claude-opus-4.8", true],
    ["claude-sonnet-5", true],
    ["claude-opus-4-6", false],
    ["claude-sonnet-4-20250514", false],
    ["claude-3-7-sonnet-20250219", false],
    ["deepseek-chat", false],
  ])("%s thinks adaptively only: %s", (model, only) => {
    expect(takesAdaptiveOnly(model)).toBe(only);
  });

  test("goes on in a loop whose turns begin with the vendor's thoughts, and past the user's next words", () => {
    const sealed: Part = { kind: "reasoning", text: "t", seal: { wire: "messages", kind: "signature", value: "s" } };
    const loop = (first: readonly Part[], last: readonly Part[]) =>
      render({
        reasoning: { effort: "low" },
        turns: [
          { role: "user", parts: [text("hi")] },
          { role: "assistant", parts: [...first, calling("a")] },
          { role: "user", parts: [result("a")] },
          ...(last.length > 0 ? [{ role: "user" as const, parts: last }] : []),
        ],
      });
    expect(loop([sealed], []).body).toMatchObject({ thinking: budget(2048) });
    expect(loop([text("well"), sealed], []).dropped).toEqual(["reasoning"]);
    expect(loop([{ ...sealed, seal: undefined }], []).dropped).toEqual(["turn.reasoning", "reasoning"]);
    const later = render({
      reasoning: { effort: "low" },
      turns: [
        { role: "assistant", parts: [calling("a")] },
        { role: "user", parts: [result("a")] },
        { role: "assistant", parts: [text("done")] },
        { role: "user", parts: [text("and now?")] },
      ],
    });
    expect(later.dropped).toEqual([]);
  });
});

describe("turns on the way to a vendor", () => {
  test("neighbours are one message, results come first, empty texts are left out", () => {
    const { body } = render({
      turns: [
        { role: "user", parts: [text("a"), text(" ")] },
        { role: "user", parts: [text("b")] },
        { role: "assistant", parts: [text(""), { kind: "reasoning", text: "x" }] },
        { role: "user", parts: [text("c")] },
        { role: "assistant", parts: [calling("1"), calling("2")] },
        { role: "user", parts: [text("d"), result("2")] },
        { role: "user", parts: [result("1")] },
      ],
    });
    expect(body["messages"]).toEqual([
      { role: "user", content: ["a", "b", "c"].map((words) => ({ type: "text", text: words })) },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "1", name: "f", input: {} },
          { type: "tool_use", id: "2", name: "f", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "2", content: "ok" },
          { type: "tool_result", tool_use_id: "1", content: "ok" },
          { type: "text", text: "d" },
        ],
      },
    ]);
  });

  test.each([
    ["at the end", []],
    ["before other words", [{ role: "user" as const, parts: [text("well?")] }]],
    [
      "before the model's next words",
      [
        { role: "assistant" as const, parts: [] },
        { role: "user" as const, parts: [result("b")] },
      ],
    ],
  ])("a call without a result gets one %s", (_, rest) => {
    const { body } = render({ turns: [{ role: "assistant", parts: [calling("a"), calling("b")] }, ...rest] });
    const [, answered]: any = body["messages"];
    const missing = { type: "tool_result", tool_use_id: "a", content: "no result was given", is_error: true };
    expect(answered.role).toBe("user");
    expect(answered.content.slice(0, 2)).toContainEqual(missing);
    expect(answered.content.slice(0, 2).map(({ type }: any) => type)).toEqual(["tool_result", "tool_result"]);
  });

  test("ids outside the vendor's characters are replaced alike", () => {
    const { body } = render({
      turns: [
        { role: "assistant", parts: [calling("functions.f:0")] },
        { role: "user", parts: [result("functions.f:0")] },
      ],
    });
    const [call, answered]: any = body["messages"];
    expect(call.content[0].id).toMatch(/^toolu_[0-9a-f]{24}$/);
    expect(answered.content[0].tool_use_id).toBe(call.content[0].id);
  });

  test("instructions alone become the user's words; those in the middle move to the front", () => {
    expect(render({ instructions: [{ kind: "text", text: "s" }] }).body).toMatchObject({
      messages: [{ role: "user", content: [{ type: "text", text: "s" }] }],
    });
    const { body, dropped } = render({
      instructions: [{ kind: "text", text: "s" }],
      turns: [
        { role: "user", parts: [text("a")] },
        { role: "system", parts: [text("t")] },
      ],
    });
    expect(body["system"]).toEqual([
      { type: "text", text: "s" },
      { type: "text", text: "t" },
    ]);
    expect(dropped).toEqual(["turn.system-place"]);
  });

  test.each<readonly [string, Part, JsonObject]>([
    [
      "text bytes",
      { kind: "file", source: { kind: "base64", mediaType: "text/csv", data: "YSxi" }, name: "a.csv" },
      { type: "document", title: "a.csv", source: { type: "text", media_type: "text/plain", data: "a,b" } },
    ],
    [
      "an image's old type",
      { kind: "image", source: { kind: "base64", mediaType: "image/jpg", data: "AA==" } },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AA==" } },
    ],
    ["a refusal", { kind: "refusal", text: "no" }, { type: "text", text: "no" }],
    ["a result without words", { ...result("a"), parts: [] }, { type: "tool_result", tool_use_id: "a" }],
  ])("%s", (_, part, block) => {
    const before: TextRequest["turns"] =
      part.kind === "tool-result" ? [{ role: "assistant", parts: [calling("a")] }] : [];
    const { body } = render({ turns: [...before, { role: "user", parts: [part] }] });
    const messages: any = body["messages"];
    expect(messages.at(-1).content).toEqual([block]);
  });

  test("a tool's arguments: free text wrapped, none, and what is no JSON", () => {
    const input = (part: Partial<Extract<Part, { kind: "tool-call" }>>) => {
      const { body } = render({
        turns: [{ role: "assistant", parts: [{ kind: "tool-call", id: "a", name: "f", arguments: "", ...part }] }],
      });
      return (body as any).messages[0].content[0].input;
    };
    expect(input({ custom: true, arguments: "free" })).toEqual({ input: "free" });
    expect(input({})).toEqual({});
    expect(input({ arguments: "{cut" })).toEqual({ _raw: "{cut" });
  });
});

describe("tools on the way to a vendor", () => {
  test.each<readonly [string, Partial<TextRequest>, JsonObject]>([
    [
      "a schema without a type",
      { tools: [{ kind: "function", name: "f", parameters: { properties: {} } }] },
      { tools: [{ name: "f", input_schema: { type: "object", properties: {} } }] },
    ],
    [
      "no arguments",
      { tools: [{ kind: "function", name: "f" }] },
      { tools: [{ name: "f", input_schema: { type: "object", properties: {} } }] },
    ],
    [
      "free text",
      { tools: [{ kind: "custom", name: "f" }] },
      { tools: [{ name: "f", input_schema: { required: ["input"] } }] },
    ],
    [
      "a search of another vendor's",
      { tools: [{ kind: "web-search", wire: "content", options: {} }] },
      { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    ],
    [
      "one at a time",
      { tools, parallelTools: false },
      { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    ],
    [
      "one of some",
      { tools, toolChoice: { mode: "auto", names: ["g", "h"] } },
      { tools: [{ name: "g" }], tool_choice: { type: "auto" } },
    ],
    [
      "one named",
      { tools, toolChoice: { mode: "required", names: ["g"] } },
      { tools: [{ name: "f" }, { name: "g" }], tool_choice: { type: "tool", name: "g" } },
    ],
  ])("%s", (_, fields, expected) => {
    expect(render(fields).body).toMatchObject(expected);
  });
});

describe("what a vendor of this wire cannot be told", () => {
  test.each<readonly [string, Partial<TextRequest>, string]>([
    ["several choices", { choices: 2 }, "choices"],
    ["probabilities", { logProbabilities: { alternatives: 0 } }, "logProbabilities"],
    ["images from the model", { modalities: ["text", "image"] }, "modalities"],
    ["JSON without a schema", { format: { kind: "json" } }, "format"],
    ["a high temperature", { temperature: 1.5 }, "temperature"],
    ["a stop of white space", { stop: ["\n"] }, "stop"],
    ["a strange name", { tools: [{ kind: "function", name: "a.b" }] }, "tools"],
    [
      "arguments that are no object",
      { tools: [{ kind: "function", name: "f", parameters: { type: "string" } }] },
      "tools",
    ],
    ["a foreign tool", { tools: [{ kind: "vendor", wire: "responses", name: "mcp", definition: {} }] }, "tools: mcp"],
    ["a foreign item", user({ kind: "vendor", wire: "content", value: {} }), "items of another vendor's tools"],
    [
      "a compaction",
      user({ kind: "compaction", seal: { wire: "responses", kind: "encrypted_content", value: "c" } }),
      "a compaction of another vendor",
    ],
    ["audio", user({ kind: "audio", source: { kind: "base64", mediaType: "audio/wav", data: "" } }), "audio parts"],
    ["video", user({ kind: "video", source: { kind: "url", url: "https://v.example" } }), "video parts"],
    [
      "an image of another kind",
      user({ kind: "image", source: { kind: "base64", mediaType: "image/tiff", data: "" } }),
      "image/tiff parts",
    ],
    [
      "a file of another kind",
      user({ kind: "file", source: { kind: "base64", mediaType: "application/zip", data: "" } }),
      "application/zip parts",
    ],
    [
      "a foreign file",
      user({ kind: "file", source: { kind: "file-id", wire: "responses", id: "f" } }),
      "file ids of another vendor",
    ],
    [
      "the model's image",
      { turns: [{ role: "assistant", parts: [{ kind: "image", source: { kind: "url", url: "https://p.example" } }] }] },
      "image parts of the model",
    ],
    ["an orphaned result", user(result("a")), "a tool result without its call"],
  ])("%s is refused", (_, fields, param) => {
    expect(() => render(fields)).toThrow(expect.objectContaining({ code: "unsupported_parameter", param }));
  });

  test.each<readonly [Partial<TextRequest>, readonly string[]]>([
    [
      { seed: 1, presencePenalty: 0, logitBias: {}, metadata: {}, safetyIdentifier: "s" },
      ["presencePenalty", "seed", "logitBias", "metadata", "safetyIdentifier"],
    ],
    [{ choices: 1, parallelTools: true, stop: [], modalities: ["text"] }, []],
    [{ toolChoice: { mode: "auto" } }, ["toolChoice"]],
    [{ serviceTier: "flex" }, ["serviceTier"]],
    [{ format: { kind: "schema", schema: {}, name: "n", strict: true } }, ["format.name", "format.strict"]],
    [{ tools: [{ kind: "custom", name: "f", format: {} }] }, ["tools.format"]],
    [user({ kind: "image", source: { kind: "url", url: "https://p.example" }, detail: "low" }), ["image.detail"]],
    [user({ kind: "text", text: "x", citations: [{ url: "https://a.example" }] }), ["text.citations"]],
  ])("%j drops %j", (fields, dropped) => {
    expect(render(fields).dropped).toEqual(dropped);
  });
});

describe("another vendor's seal", () => {
  const foreign = { wire: "content", kind: "thoughtSignature", value: "c2lnbmVk" } as const;
  const whole = (parts: readonly Part[]): TextAnswer => ({
    id: "",
    model: "",
    createdAt: 0,
    choices: [{ parts, finish: "stop" }],
  });
  const backFrom = (content: unknown) =>
    parse({ messages: [{ role: "assistant", content: JSON.parse(JSON.stringify(content)) }] }).request;

  test.each<readonly [string, Part]>([
    ["a call", { kind: "tool-call", id: "call_1", name: "f", arguments: "{}", seal: foreign }],
    ["a text", { kind: "text", text: "hi", seal: foreign }],
    ["thoughts", { kind: "reasoning", text: "hm", seal: foreign }],
    ["no thoughts", { kind: "reasoning", text: "", seal: foreign }],
  ])("on %s comes back on it, whole or streamed, and goes to no other vendor", (_, part) => {
    const parts = [part, text("after")];
    for (const { content } of [
      messagesCodec.renderAnswer(whole(parts), contextFor()),
      assembled(written(messagesCodec.writer(contextFor()), whole(parts))),
    ] as readonly JsonObject[]) {
      const { turns } = backFrom(content);
      expect(turns).toEqual([{ role: "assistant", parts }]);
      const again = JSON.stringify(render({ turns }).body);
      expect(again).not.toContain("c2lnbmVk");
      expect(again).not.toContain("thinking");
    }
  });

  /** An answer's blocks for a client, which are the same streamed. */
  function blocks(parts: readonly Part[]): unknown {
    const { content } = messagesCodec.renderAnswer(whole(parts), contextFor());
    expect(assembled(written(messagesCodec.writer(contextFor()), whole(parts)))["content"]).toEqual(content);
    return content;
  }
  const seals: Part = { kind: "text", text: "", seal: foreign };

  test("on no words stands alone", () => {
    const content = blocks([text("a"), seals, text("b")]);
    const kept = { kind: "reasoning", text: "", seal: foreign };
    expect(backFrom(content).turns[0]?.parts).toEqual([text("a"), kept, text("b")]);
  });

  // Coding agents take the last block for the answer; no vendor insists on the seal of last words.
  test.each<readonly [string, readonly Part[]]>([
    ["on the last words", [{ ...text("a"), seal: foreign }]],
    ["on no words after them", [text("a"), seals]],
    ["on both", [{ ...text("a"), seal: foreign }, seals, seals]],
  ])("%s is left out: the words stay last", (_, parts) => {
    expect(blocks(parts)).toEqual([{ type: "text", text: "a" }]);
  });

  test("finds its call wherever a client has put it", () => {
    const parts: readonly Part[] = [{ kind: "tool-call", id: "call_1", name: "f", arguments: "{}", seal: foreign }];
    const { content }: any = messagesCodec.renderAnswer(whole(parts), contextFor());
    expect(backFrom(content.toReversed()).turns[0]?.parts).toEqual(parts);
  });
});

const start = (part: number, id: string, custom?: boolean): TextEvent => ({
  type: "part-start",
  choice: 0,
  part,
  opened: { kind: "tool-call", id, name: id, custom },
});
const piece = (part: number, said: string): TextEvent => ({ type: "part-delta", choice: 0, part, text: said });
const over = (part: number): TextEvent => ({ type: "part-end", choice: 0, part });

test("another vendor's citation reaches the client, and no vendor of this wire", () => {
  const part: Part = { ...text("It rains."), citations: [{ url: "https://w.example", title: "W", citedText: "rain" }] };
  const whole: TextAnswer = { id: "", model: "", createdAt: 0, choices: [{ parts: [part], finish: "stop" }] };
  const { content } = messagesCodec.renderAnswer(whole, contextFor());
  expect(content).toMatchObject([{ citations: [{ type: "web_search_result_location", url: "https://w.example" }] }]);
  const { turns } = parse({ messages: [{ role: "assistant", content }] }).request;
  expect(turns).toEqual([{ role: "assistant", parts: [part] }]);
  expect(JSON.stringify(render({ turns }).body)).not.toContain("w.example");
});

describe("a stream for a client", () => {
  const told = (events: readonly TextEvent[]) => {
    const writer = messagesCodec.writer(contextFor());
    return events.map((event) => writer.write(event)).join("") + writer.end();
  };

  test("of thoughts, words and a call, event by event", () => {
    const stream = written(messagesCodec.writer(contextFor()), {
      id: "x",
      model: "y",
      createdAt: 0,
      usage: { inputTokens: 25, cachedInputTokens: 1024, cacheWriteTokens: 200, outputTokens: 40, reasoningTokens: 12 },
      choices: [
        {
          finish: "tool-calls",
          parts: [
            { kind: "reasoning", text: "Need", seal: { wire: "messages", kind: "signature", value: "EqQB" } },
            text("Hello"),
            { kind: "tool-call", id: "toolu_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
          ],
        },
      ],
    });
    const head = {
      id: "resp_abc",
      type: "message",
      role: "assistant",
      model: "mine",
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    const none = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
    const usage = {
      input_tokens: 25,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 1024,
      output_tokens: 40,
      output_tokens_details: { thinking_tokens: 12 },
    };
    expect(framesOf(stream).map(({ data }) => JSON.parse(data))).toEqual([
      { type: "message_start", message: { ...head, usage: { input_tokens: 3, ...none } } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Need" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "EqQB" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hello" } },
      { type: "content_block_stop", index: 1 },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
      },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"city":"Oslo"}' } },
      { type: "content_block_stop", index: 2 },
      { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
      { type: "message_stop" },
    ]);
  });

  test("tells calls that come interleaved one after another", () => {
    const stream = told([
      start(0, "a"),
      start(1, "b"),
      piece(0, "{"),
      piece(1, '{"x":'),
      piece(0, "}"),
      over(0),
      piece(1, "1}"),
      over(1),
      { type: "finish", choice: 0, reason: "stop" },
    ]);
    expect(assembled(stream)).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { type: "tool_use", id: "a", input: {} },
        { type: "tool_use", id: "b", input: { x: 1 } },
      ],
    });
  });

  test("puts a free-text tool's words into one argument, however they are cut", () => {
    const [left = "", right = ""] = "😀".split("");
    const stream = told([start(0, "a", true), piece(0, '"x"\n'), piece(0, left), piece(0, right), over(0)]);
    expect(assembled(stream)["content"]).toEqual([
      { type: "tool_use", id: "a", name: "a", input: { input: '"x"\n😀' } },
    ]);
  });

  test("begins once, whatever comes first, and is kept alive", () => {
    const writer = messagesCodec.writer(contextFor());
    const stream =
      writer.heartbeat() +
      writer.write({ type: "start", id: "", model: "", createdAt: 0 }) +
      writer.write({ type: "ping" }) +
      writer.end();
    expect(framesOf(stream).map(({ event }) => event)).toEqual([
      "message_start",
      "ping",
      "ping",
      "message_delta",
      "message_stop",
    ]);
  });

  test("begins with its first words at the latest", () => {
    const writer = messagesCodec.writer(contextFor());
    expect(framesOf(writer.write(start(0, "a"))).map(({ event }) => event)).toEqual([
      "message_start",
      "content_block_start",
    ]);
  });

  test("begins with the vendor's own count where there is one", () => {
    const writer = messagesCodec.writer(contextFor());
    const usage = { inputTokens: 7, cachedInputTokens: 5, outputTokens: 1 };
    expect(writer.write({ type: "start", id: "", model: "", createdAt: 0, usage })).toContain(
      '"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":5',
    );
  });

  test("that broke ends with an error and nothing else", () => {
    const writer = messagesCodec.writer(contextFor());
    const stream = writer.write(piece(0, "x")) + writer.fail(new Failure("upstream_timeout"), "req_1");
    const last = framesOf(stream).at(-1);
    expect(last?.event).toBe("error");
    expect(JSON.parse(last?.data ?? "")).toMatchObject({
      type: "error",
      error: { type: "timeout_error" },
      request_id: "req_1",
    });
  });

  test.each<readonly [Extract<TextEvent, { type: "finish" }>["reason"], string]>([
    ["stop", "end_turn"],
    ["stop-sequence", "stop_sequence"],
    ["length", "max_tokens"],
    ["context-full", "model_context_window_exceeded"],
    ["filtered", "refusal"],
    ["refused", "refusal"],
    ["paused", "pause_turn"],
    ["malformed-tool-call", "end_turn"],
    ["other", "end_turn"],
  ])("%s ends as %s", (reason, word) => {
    expect(assembled(told([{ type: "finish", choice: 0, reason, stopSequence: "x" }]))).toMatchObject({
      stop_reason: word,
      stop_sequence: "x",
    });
  });
});

describe("a vendor's stream", () => {
  const frame = (body: JsonObject): string => `event: ${String(body["type"])}\ndata: ${JSON.stringify(body)}\n\n`;
  const begin = (index: number, block: JsonObject) =>
    frame({ type: "content_block_start", index, content_block: block });
  const grow = (index: number, delta: JsonObject) => frame({ type: "content_block_delta", index, delta });
  const stop = (index: number) => frame({ type: "content_block_stop", index });
  const head = frame({
    type: "message_start",
    message: { id: "msg_1", model: "v", usage: { input_tokens: 25, cache_read_input_tokens: 1024, output_tokens: 1 } },
  });
  const tail =
    frame({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 40 } }) +
    frame({ type: "message_stop" });
  const read = (body: string) => readBack(messagesCodec.reader(), head + body + tail);

  test("is read with its pings, and the input's counts from its beginning", () => {
    const events = eventsOf(messagesCodec.reader(), `${head}${frame({ type: "ping" })}${tail}`);
    expect(events).toEqual([
      {
        type: "start",
        id: "msg_1",
        model: "v",
        createdAt: 0,
        usage: { inputTokens: 25, cachedInputTokens: 1024, outputTokens: 1 },
      },
      { type: "ping" },
      { type: "finish", choice: 0, reason: "stop" },
      { type: "usage", usage: { inputTokens: 25, cachedInputTokens: 1024, outputTokens: 40 } },
    ]);
  });

  test.each<readonly [string, string, readonly Part[]]>([
    [
      "unknown events and deltas are passed over",
      `${frame({ type: "riddle" })}${frame({ type: "constructor" })}${begin(0, { type: "text", text: "" })}${grow(0, { type: "riddle_delta" })}${grow(0, { type: "text_delta", text: "a" })}${stop(0)}`,
      [text("a")],
    ],
    ["words in a block's beginning are words", begin(0, { type: "text", text: "a" }) + stop(0), [text("a")]],
    ["words without a beginning are words", grow(0, { type: "text_delta", text: "a" }), [text("a")]],
    [
      "arguments in a call's beginning are arguments",
      begin(0, { type: "tool_use", id: "t", name: "f", input: { x: 1 } }) + stop(0),
      [{ kind: "tool-call", id: "t", name: "f", arguments: '{"x":1}' }],
    ],
    [
      "a call without arguments has none",
      begin(0, { type: "tool_use", id: "t", name: "f", input: {} }) +
        grow(0, { type: "input_json_delta", partial_json: "" }) +
        stop(0),
      [{ kind: "tool-call", id: "t", name: "f", arguments: "{}" }],
    ],
    [
      "thoughts that are not shown keep their seal",
      begin(0, { type: "thinking", thinking: "", signature: "" }) +
        grow(0, { type: "signature_delta", signature: "Eq" }) +
        grow(0, { type: "signature_delta", signature: "QB" }) +
        stop(0),
      [{ kind: "reasoning", text: "", seal: { wire: "messages", kind: "signature", value: "EqQB" } }],
    ],
    [
      "a vendor's block comes whole",
      begin(0, { ...search, input: {} }) +
        grow(0, { type: "input_json_delta", partial_json: '{"query":' }) +
        grow(0, { type: "input_json_delta", partial_json: '"x"}' }) +
        stop(0),
      [{ kind: "vendor", wire: "messages", value: search }],
    ],
  ])("%s", (_, body, parts) => {
    expect(read(body).choices[0]?.parts).toEqual(parts);
  });

  test.each([
    ["a rate", "rate_limit_error", 429],
    ["overload", "overloaded_error", 529],
    ["something new", "riddle_error", undefined],
  ])("%s is a failure", (_, type, status) => {
    const reader = messagesCodec.reader();
    const [event] = eventsOf(reader, frame({ type: "error", error: { type, message: "no" } }));
    expect(event).toEqual({ type: "failure", code: type, message: "no", ...(status === undefined ? {} : { status }) });
    expect(reader.whole).toBe(false);
  });

  test("is counted by its newest reports together", () => {
    const report = (usage: JsonObject) => frame({ type: "message_delta", delta: {}, usage });
    const body = report({ input_tokens: 30, output_tokens: 2 }) + report({ output_tokens: 4 });
    const events = eventsOf(messagesCodec.reader(), head + body);
    expect(events.at(-1)).toEqual({
      type: "usage",
      usage: { inputTokens: 30, cachedInputTokens: 1024, outputTokens: 4 },
    });
  });

  test("that is no JSON is a failure", () => {
    expect(eventsOf(messagesCodec.reader(), "data: {\n\n")).toMatchObject([{ type: "failure" }]);
  });

  test("that was cut ends its parts and is not whole", () => {
    const reader = messagesCodec.reader();
    const events = eventsOf(reader, head + grow(0, { type: "text_delta", text: "x" }));
    expect(events.map(({ type }) => type)).toEqual(["start", "part-start", "part-delta", "part-end"]);
    expect(reader.whole).toBe(false);
  });

  test("that tells no reason at its end ended by itself", () => {
    const reader = messagesCodec.reader();
    expect(readBack(reader, head + frame({ type: "message_stop" })).choices).toEqual([{ parts: [], finish: "stop" }]);
    expect(reader.whole).toBe(true);
  });

  test("a vendor's block that never ends is given up", () => {
    const reader = messagesCodec.reader();
    eventsOf(reader, begin(0, search));
    const delta = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: "x".repeat(mostHeld + 1) },
    };
    expect(() => reader.read({ data: JSON.stringify(delta) })).toThrow(
      expect.objectContaining({ code: "upstream_error" }),
    );
  });
});

test.each([
  ["no content", {}],
  ["an error", { type: "error", error: { message: "no" } }],
  ["a broken block", { content: [{ type: "text" }] }],
])("an answer with %s is the vendor's error", (_, body) => {
  expect(() => messagesCodec.parseAnswer(body)).toThrow(expect.objectContaining({ code: "upstream_error" }));
});

test.each([
  [
    { stop_reason: "stop_sequence", stop_sequence: "END" },
    { finish: "stop-sequence", stopSequence: "END" },
  ],
  [{ stop_reason: "max_tokens" }, { finish: "length" }],
  [{ stop_reason: "riddle" }, { finish: "stop" }],
  [{ stop_reason: "constructor" }, { finish: "stop" }],
])("%j ends as %j", (body, choice) => {
  expect(messagesCodec.parseAnswer({ content: [], ...body }).choices).toEqual([{ parts: [], ...choice }]);
});

test.each([
  [
    { input_tokens: 25, cache_read_input_tokens: 1024, cache_creation_input_tokens: 200, output_tokens: 40 },
    undefined,
    { inputTokens: 25, cachedInputTokens: 1024, cacheWriteTokens: 200, outputTokens: 40 },
  ],
  [
    { input_tokens: 25, output_tokens: 40, output_tokens_details: { thinking_tokens: 12 } },
    undefined,
    { inputTokens: 25, outputTokens: 40, reasoningTokens: 12 },
  ],
  [
    {
      input_tokens: 1,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
      output_tokens: 0,
    },
    undefined,
    { inputTokens: 1, cacheWriteTokens: 5, outputTokens: 0 },
  ],
  [
    { output_tokens: 40 },
    { inputTokens: 25, cachedInputTokens: 9, outputTokens: 1 },
    { inputTokens: 25, cachedInputTokens: 9, outputTokens: 40 },
  ],
  [
    { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 40 },
    { inputTokens: 25, outputTokens: 1 },
    { inputTokens: 25, outputTokens: 40 },
  ],
  [
    { input_tokens: 30, output_tokens: 40 },
    { inputTokens: 0, cachedInputTokens: 9, outputTokens: 0 },
    { inputTokens: 30, cachedInputTokens: 9, outputTokens: 40 },
  ],
  [{ input_tokens: -1, output_tokens: "4" }, undefined, undefined],
  [null, { inputTokens: 1 }, undefined],
])("usage %j after %j", (usage, before, units) => {
  expect(messagesUsage(usage, before)).toEqual(units);
});

describe("passing through", () => {
  const frame = (body: JsonObject): Buffer =>
    Buffer.from(`event: ${String(body["type"])}\ndata: ${JSON.stringify(body)}\n\n`);
  const before = { inputTokens: 25, cachedInputTokens: 1024, outputTokens: 1 };
  const quiet = { usageOnly: false, done: false, failed: false };

  test("the vendor's request differs in nothing but the model", () => {
    const body = Buffer.from(
      '{"model":"mine", "messages":[{"role":"user","content":"x"}],"seed":12345678901234567890}',
    );
    expect(messagesPass.upstreamBody(body, { reportUsage: true })).toBe(body);
    expect(messagesPass.upstreamBody(body, { model: "theirs", reportUsage: true }).toString()).toBe(
      '{"model":"theirs", "messages":[{"role":"user","content":"x"}],"seed":12345678901234567890}',
    );
  });

  test("thoughts of other vendors, which this one would refuse, stay behind", () => {
    const foreign = { wire: "content", kind: "thoughtSignature", value: "c2ln" } as const;
    const parts: readonly Part[] = [
      { kind: "reasoning", text: "a" },
      { kind: "reasoning", text: "b", seal: foreign },
      { kind: "reasoning", text: "c", seal: { wire: "messages", kind: "signature", value: "EqQB" } },
      { kind: "tool-call", id: "1", name: "f", arguments: "{}", seal: foreign },
    ];
    const whole: TextAnswer = { id: "", model: "", createdAt: 0, choices: [{ parts, finish: "stop" }] };
    const { content } = messagesCodec.renderAnswer(whole, contextFor());
    const alone = [{ type: "thinking", thinking: "a", signature: unsealed }];
    const messages = [content, alone, "x"].map((said) => ({ role: "assistant", content: said }));
    const body = Buffer.from(JSON.stringify({ model: "m", messages, max_tokens: 9 }));
    expect(JSON.parse(messagesPass.upstreamBody(body, { reportUsage: true }).toString())).toEqual({
      model: "m",
      max_tokens: 9,
      messages: [
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "c", signature: "EqQB" },
            { type: "tool_use", id: "1", name: "f", input: {} },
          ],
        },
        { role: "assistant", content: "x" },
      ],
    });
    const some = Buffer.from(JSON.stringify({ messages: [{ role: "assistant", content: [...alone, text("x")] }] }));
    expect(messagesPass.upstreamBody(some, { reportUsage: true }).toString()).not.toContain("thinking");
    const spoken = Buffer.from(JSON.stringify({ messages: [{ role: "user", content: unsealed }] }));
    expect(messagesPass.upstreamBody(spoken, { reportUsage: true })).toBe(spoken);
  });

  test.each<readonly [string, JsonObject, object]>([
    [
      "the beginning",
      { type: "message_start", message: { usage: { input_tokens: 25, output_tokens: 1 } } },
      { ...quiet, usage: { inputTokens: 25, outputTokens: 1 } },
    ],
    [
      "the end's report",
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 40 } },
      { ...quiet, usage: { ...before, outputTokens: 40 } },
    ],
    [
      "words that speak of usage",
      { type: "content_block_delta", delta: { text: '"usage":{"output_tokens":9}' } },
      quiet,
    ],
    ["a ping", { type: "ping" }, quiet],
    ["something new", { type: "riddle", usage: { output_tokens: 9 } }, quiet],
    ["the end", { type: "message_stop" }, { ...quiet, done: true }],
    ["an error", { type: "error", error: { type: "overloaded_error" } }, { ...quiet, failed: true }],
  ])("%s is seen for what it is, with its event's name or without", (_, body, seen) => {
    const report = body["type"] === "message_start" ? undefined : before;
    expect(messagesPass.see(frame(body), report)).toEqual(seen);
    expect(messagesPass.see(Buffer.from(`data: ${JSON.stringify(body)}\r\n\r\n`), report)).toEqual(seen);
  });

  test("usage of a whole answer is its own member, wherever it stands", () => {
    const usage = { input_tokens: 3, output_tokens: 4 };
    const content = [{ type: "tool_use", input: { usage: { output_tokens: 9 } } }];
    for (const answer of [
      { content, usage },
      { usage, content },
    ])
      expect(messagesPass.answerUsage(Buffer.from(JSON.stringify(answer)))).toEqual({
        inputTokens: 3,
        outputTokens: 4,
      });
    expect(messagesPass.answerUsage(Buffer.from('{"content":[]}'))).toBeUndefined();
  });

  test("the client's name of the model stands in the beginning and in answers", () => {
    const start = frame({ type: "message_start", message: { model: "theirs", id: "m" } });
    expect(messagesPass.renameFrame(start, "mine").toString()).toBe(start.toString().replace("theirs", "mine"));
    const words = frame({ type: "content_block_delta", delta: { type: "text_delta", text: '"model"' } });
    expect(messagesPass.renameFrame(words, "mine")).toEqual(words);
    const answer = Buffer.from('{"model":"theirs","content":[{"model":"x"}]}');
    expect(messagesPass.renameAnswer(answer, "mine").toString()).toBe('{"model":"mine","content":[{"model":"x"}]}');
  });

  test("what the model wrote is read out of many frames", () => {
    const raw = [
      { type: "message_start", message: { content: [] } },
      { type: "content_block_start", content_block: { type: "tool_use", name: "f", input: {} } },
      { type: "content_block_delta", delta: { type: "thinking_delta", thinking: 'a "b"' } },
      { type: "content_block_delta", delta: { type: "text_delta", text: "c\n" } },
      { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: '{"x":1}' } },
      { type: "content_block_delta", delta: { type: "signature_delta", signature: "EqQB" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
    ].map((body) => messagesPass.written(frame(body)));
    expect(messagesPass.wordsOf(raw.join("\n"))).toBe('fa "b"c\n{"x":1}');
  });

  test("a silent stream is kept alive, a broken one ends with an error", () => {
    expect(messagesPass.heartbeat).toBe('event: ping\ndata: {"type":"ping"}\n\n');
    const ended = messagesPass.failureFrame(new Failure("upstream_error"), "req_1");
    expect(ended.startsWith("event: error\ndata: ")).toBe(true);
    expect(messagesPass.see(Buffer.from(ended)).failed).toBe(true);
  });
});
