import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseDecoder } from "@modelgate/formats/sse";
import { chatWire } from "../src/text/chat/index.ts";
import { contentWire } from "../src/text/content/index.ts";
import type { TextAnswer, TextEvent } from "../src/text/hub/answer.ts";
import { Unsupported, type TextRequest } from "../src/text/hub/request.ts";
import type { Part } from "../src/text/hub/part.ts";
import { maxCacheMarks, keepLastMarks } from "../src/text/hub/prompt-cache.ts";
import { messagesWire } from "../src/text/messages/index.ts";
import { responsesWire } from "../src/text/responses/index.ts";
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
  signatureWith,
  word,
} from "./arbitraries.ts";
import {
  assembledMessage,
  contextFor,
  eventsOf,
  readBack,
  renders,
  testsOfAnswers,
  text,
  toolRound,
  weather,
  written,
} from "./harness.ts";

const target = { model: "theirs", defaultMaxTokens: 1000 };
const adaptiveTarget = { model: "claude-opus-4-7", defaultMaxTokens: 1000 };
const render = renders(messagesWire, target);

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

test("one tool round is parsed and rendered", () => {
  expect(messagesWire.client.read(round)).toEqual({ request: roundRequest, dropped: [] });
  const { body, dropped } = messagesWire.vendor.render(roundRequest, { ...target, model: "m" });
  // With thinking, the vendor refuses a call without a thinking block.
  expect(dropped).toEqual(["reasoning"]);
  expect(body).toEqual({ ...round, thinking: { type: "disabled" } });
});

test("the same tool round in another wire is equal", () => {
  const turns = roundRequest.turns.slice(0, 1);
  const { body } = render({ ...roundRequest, turns, maxTokens: 2348, reasoning: { effort: "low" } });
  expect(body).toEqual({ ...round, model: "theirs", messages: round.messages.slice(0, 1) });
});

const visibleText = word.filter((words) => words.trim() !== "");
const textPart: fc.Arbitrary<Part> = visibleText.map(text);
const cache = fc.constantFrom({}, { lifetime: "1h" as const });
const ownSignature = signatureWith("messages", "signature");
const reasoningPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("reasoning"),
  text: word,
  signature: ownSignature,
});
const redacted: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("reasoning"),
  text: fc.constant(""),
  signature: signatureWith("messages", "redacted"),
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
const citedText: fc.Arbitrary<Part> = visibleText.map((words) => ({
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
    visibleText.map((words) => ({ kind: "text" as const, text: words })),
    fc.record({ kind: fc.constant("image" as const), source: imageBytes }),
  ),
);
const turnsWith = (call: typeof functionCall) =>
  dialogue(
    fc.oneof(
      textPart,
      visibleText.map((words) => ({ kind: "text" as const, text: words, cache: {} })),
      image,
      file,
    ),
    fc.oneof(textPart, reasoningPart, redacted, vendorBlock, citedText),
    call,
    resultParts,
  );
const turns = turnsWith(functionCall);
/** History without calls. Only such a history may enable thinking although its turns have no thinking. */
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
      fc.constant({
        kind: "web-search" as const,
        wire: "messages" as const,
        options: { max_uses: 3 },
        commonOptions: { maxUses: 3 },
      }),
      fc.constant({
        kind: "vendor" as const,
        wire: "messages" as const,
        name: "bash",
        definition: { type: "bash_20250124", name: "bash" },
      }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  stop: fc.array(visibleText, { minLength: 1, maxLength: 6 }),
  format: fc.record({ kind: fc.constant("schema" as const), schema: json }),
  user: word,
  serviceTier: fc.constantFrom("auto", "default"),
};
const fields = record({
  ...shared,
  ...sampling,
  topK: fc.nat(99),
  reasoning: fc.constant({ effort: "none" }),
}).chain((drawnMembers) =>
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
      ...(drawnMembers as Partial<TextRequest>),
      maxTokens,
      ...(drawnMembers["tools"] === undefined ? {} : { toolChoice }),
      ...(drawnMembers["tools"] === undefined || !one || toolChoice?.mode === "none" ? {} : { parallelTools: false }),
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
    level: fc.oneof(
      fc.constant({ budgetTokens: -1 }),
      fc.record({ effort: fc.constantFrom("low", "medium", "high", "xhigh", "max") }),
    ),
    show: fc.constantFrom("summary" as const, "none" as const),
    more: record(shared),
  })
  .map(({ level, show, more }): Partial<TextRequest> => ({
    ...(more as Partial<TextRequest>),
    maxTokens: 300,
    reasoning: { ...level, show } as NonNullable<TextRequest["reasoning"]>,
  }));
/** The vendor refuses blank instructions and a fifth cache mark. */
const withoutRefusedParts = (drawnRequest: TextRequest): TextRequest => {
  const instructions = drawnRequest.instructions.filter((part) => part.text.trim() !== "");
  return keepLastMarks({ ...drawnRequest, instructions }, maxCacheMarks, new Unsupported());
};

test.each([
  ["with calls", turns, fields, target],
  ["with thoughts", plainTurns, thinkingFields, target],
  ["of the newest models", turns, adaptiveFields, adaptiveTarget],
])(
  "a request %s that this wire can express is unchanged after rendering and parsing",
  (_, drawnTurns, drawnFields, to) => {
    fc.assert(
      fc.property(request(drawnTurns, drawnFields).map(withoutRefusedParts), (drawnRequest) => {
        const { body, dropped } = messagesWire.vendor.render(drawnRequest, to);
        expect(dropped).toEqual([]);
        const parsedBody = messagesWire.client.read({ ...JSON.parse(JSON.stringify(body)), model: "theirs" });
        expect(parsedBody.dropped).toEqual([]);
        expect(parsedBody.request).toEqual({ ...drawnRequest, turns: merged(drawnRequest.turns) });
      }),
    );
  },
);

const unsignedReasoning: fc.Arbitrary<Part> = word.map((words) => ({ kind: "reasoning", text: words }));
const answers = answer(
  fc
    .array(fc.oneof(textPart, citedText, reasoningPart, unsignedReasoning, redacted, vendorBlock, functionCall), {
      minLength: 1,
      maxLength: 6,
    })
    .map(numbered),
  fc.constantFrom("stop", "length", "refused", "paused", "context-full"),
);
/** This wire reports the gateway's count if the vendor reports no usage. */
const withInput = (whole: TextAnswer): TextAnswer => ({
  ...whole,
  usage: whole.usage ?? { inputTokens: 3, outputTokens: 0 },
});

describe("answers", () => {
  testsOfAnswers({ wire: messagesWire, answered: answers, expected: withInput });

  test("a stream has blocks one after another, and adds up to the complete answer", () => {
    fc.assert(
      fc.property(answers, (whole) => {
        const stream = written(messagesWire.client.stream(contextFor()), whole);
        expect(assembledMessage(stream)).toEqual(messagesWire.client.render(whole, contextFor()));
      }),
    );
  });

  test("any split of the bytes gives the same events", () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
        const stream = written(messagesWire.client.stream(contextFor()), whole);
        const bytes = Buffer.from(stream);
        const positions = [
          0,
          ...cuts.map((cut) => cut % bytes.length).sort((left, right) => left - right),
          bytes.length,
        ];
        const decoder = new SseDecoder();
        const frames = positions.flatMap((start, index) =>
          decoder.push(bytes.subarray(start, positions[index + 1] ?? start)),
        );
        const reader = messagesWire.vendor.stream();
        const events: readonly TextEvent[] = [...frames, ...decoder.end()].flatMap((frame) => reader.read(frame));
        expect([...events, ...reader.end()]).toEqual(eventsOf(messagesWire.vendor.stream(), stream));
      }),
    );
  });

  test.each([
    ["chat", chatWire],
    ["content", contentWire],
    ["responses", responsesWire],
  ])("a vendor's %s stream becomes the client's messages stream, event by event, and back", (_, other) => {
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
    const choicesAndUsage = ({ choices, usage }: TextAnswer): object => ({ choices, usage });
    fc.assert(
      fc.property(common, (drawnAnswer) => {
        const whole = withInput(drawnAnswer);
        for (const [vendor, client] of [
          [other, messagesWire],
          [messagesWire, other],
        ] as const) {
          const writer = client.client.stream(context);
          const events = eventsOf(vendor.vendor.stream(), written(vendor.client.stream(context), whole));
          const stream = events.map((event) => writer.write(event)).join("") + writer.end();
          expect(choicesAndUsage(readBack(client.vendor.stream(), stream))).toEqual(choicesAndUsage(whole));
        }
      }),
    );
  });
});
