import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { AmazonSplitter } from "@modelgate/formats/amazon-stream";
import { converseWire } from "../../../src/text/converse/index.ts";
import { Collector } from "../../collect.ts";
import type { TextEvent } from "../../../src/text/hub/answer.ts";
import { amazonException, amazonFrame } from "@modelgate/testkit/amazon-frames";

const { vendor, framing, isFirstEvent } = converseWire;
const words = fc.string({ minLength: 1, unit: "grapheme" });
const base64 = fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString("base64"));

const block: fc.Arbitrary<JsonRecord> = fc.oneof(
  words.map((text) => ({ text })),
  fc
    .record({ id: fc.stringMatching(/^[a-z]{3,9}$/), input: fc.dictionary(fc.string(), fc.string()) })
    .map(({ id, input }) => ({ toolUse: { toolUseId: id, name: "f", input } })),
  fc.record({ text: words, signature: words }).map((reasoningText) => ({ reasoningContent: { reasoningText } })),
  base64.map((redactedContent) => ({ reasoningContent: { redactedContent } })),
  base64.map((bytes) => ({ image: { format: "png", source: { bytes } } })),
);
const counts = fc.record({
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  cacheReadInputTokens: fc.nat(),
  cacheWriteInputTokens: fc.nat(),
});
const stopReason = fc.constantFrom("end_turn", "max_tokens", "guardrail_intervened", "stop_sequence");
const answers = fc.record({ content: fc.array(block, { maxLength: 5 }), usage: counts, stopReason });
type Answer = typeof answers extends fc.Arbitrary<infer Value> ? Value : never;

function whole({ content, usage, stopReason: reason }: Answer): JsonRecord {
  return { output: { message: { role: "assistant", content } }, usage, stopReason: reason };
}

/** Returns the stream deltas of a block, with its text in two. */
function deltasOf(one: any): readonly object[] {
  const halves = (text: string): readonly string[] => {
    const characters = Array.from(text);
    const middle = Math.floor(characters.length / 2);
    return [characters.slice(0, middle).join(""), characters.slice(middle).join("")];
  };
  if (one.text !== undefined) return halves(one.text).map((text) => ({ text }));
  if (one.toolUse !== undefined)
    return halves(JSON.stringify(one.toolUse.input)).map((input) => ({ toolUse: { input } }));
  if (one.image !== undefined) return [{ image: { source: one.image.source } }];
  const { redactedContent, reasoningText } = one.reasoningContent;
  if (redactedContent !== undefined) return [{ reasoningContent: { redactedContent } }];
  const { text, signature } = reasoningText;
  return [...halves(text).map((half) => ({ text: half })), { signature }].map((reasoningContent) => ({
    reasoningContent,
  }));
}

function stream({ content, usage, stopReason: reason }: Answer): Buffer {
  const blocks = content.flatMap((one: any, contentBlockIndex) => {
    const { toolUse, image } = one;
    const start = toolUse === undefined ? image && { image: { format: image.format } } : { toolUse };
    return [
      ...(start === undefined ? [] : [amazonFrame("contentBlockStart", { contentBlockIndex, start })]),
      ...deltasOf(one).map((delta) => amazonFrame("contentBlockDelta", { contentBlockIndex, delta, p: "abcd" })),
      amazonFrame("contentBlockStop", { contentBlockIndex }),
    ];
  });
  return Buffer.concat([
    amazonFrame("messageStart", { role: "assistant", p: "ab" }),
    ...blocks,
    amazonFrame("messageStop", { stopReason: reason }),
    amazonFrame("metadata", { usage, metrics: { latencyMs: 1 } }),
  ]);
}

function read(bytes: readonly Buffer[]): { readonly events: readonly TextEvent[]; readonly done: boolean } {
  const reader = vendor.stream();
  const splitter = new AmazonSplitter();
  const events = bytes.flatMap((chunk) =>
    splitter.push(chunk).flatMap((frame) => {
      const parsed = framing.parse(frame);
      return parsed === undefined ? [] : reader.read(parsed);
    }),
  );
  return { events: [...events, ...reader.end()], done: reader.done && reader.isComplete };
}

describe("answers of the converse wire", () => {
  test("a stream has the same content as the complete answer, for any chunks", () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 200 }), (answer, size) => {
        const bytes = stream(answer);
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const { events, done } = read(pieces);
        const collector = new Collector();
        for (const event of events) collector.take(event);
        expect(collector.answer()).toEqual(vendor.parse(whole(answer)));
        expect(done).toBe(true);
      }),
    );
  });

  test.each([
    [
      { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    [
      { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 7, cacheWriteInputTokens: 3 },
      { inputTokens: 10, outputTokens: 5, cachedInputTokens: 7, cacheWriteTokens: 3 },
    ],
    [
      {
        inputTokens: 1,
        outputTokens: 2,
        cacheWriteInputTokens: 9,
        cacheDetails: [
          { ttl: "1h", inputTokens: 6 },
          { ttl: "5m", inputTokens: 3 },
        ],
      },
      { inputTokens: 1, outputTokens: 2, cacheWriteTokens: 3, cacheWrite1hTokens: 6 },
    ],
    [undefined, undefined],
    [{ totalTokens: 3 }, undefined],
  ])("usage %j is %j", (usage, units) => {
    expect(vendor.usage({ output: { message: { content: [] } }, usage })).toEqual(units);
  });

  test.each([
    ["end_turn", "stop"],
    ["tool_use", "tool-calls"],
    ["max_tokens", "length"],
    ["stop_sequence", "stop-sequence"],
    ["guardrail_intervened", "filtered"],
    ["content_filtered", "filtered"],
    ["model_context_window_exceeded", "context-full"],
    ["malformed_tool_use", "malformed-tool-call"],
    ["constructor", "stop"],
  ])("the stop reason %s becomes %s", (reason, finish) => {
    const answer = vendor.parse({ output: { message: { content: [{ text: "a" }] } }, stopReason: reason });
    expect(answer.choices[0]?.finish).toBe(finish);
  });

  test("a citation keeps its address and its quote", () => {
    const location = { web: { url: "https://a.example/" } };
    const citations = [{ title: "A", sourceContent: [{ text: "quoted" }], location }];
    const content = [{ citationsContent: { content: [{ text: "said" }], citations } }];
    expect(vendor.parse({ output: { message: { content } } }).choices[0]?.parts).toEqual([
      { kind: "text", text: "said", citations: [{ url: "https://a.example/", title: "A", citedText: "quoted" }] },
    ]);
  });

  test("an answer without content is the vendor's failure", () => {
    expect(() => vendor.parse({ message: "no" })).toThrow(/no content/);
  });

  test.each([
    ["throttlingException", 429],
    ["modelStreamErrorException", 500],
    ["serviceUnavailableException", 503],
  ])("the exception %s in a stream is a failure of status %i", (code, status) => {
    const { events } = read([amazonException(code, "no")]);
    expect(events).toEqual([{ type: "failure", code, message: "no", status }]);
  });

  test("a stream begins with only the start of a message", () => {
    const first = (frame: Buffer): JsonRecord => JSON.parse(framing.parse(frame)?.data ?? "{}");
    expect(isFirstEvent(first(amazonFrame("messageStart", { role: "assistant" })))).toBe(true);
    expect(isFirstEvent(first(amazonException("validationException", "no")))).toBe(false);
    expect(isFirstEvent(first(amazonFrame("metadata", {})))).toBe(false);
  });
});
