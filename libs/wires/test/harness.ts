import fc from "fast-check";
import { expect, test } from "vitest";
import type { AnswerContext, Rendered, StreamReader, StreamWriter, Target, TextCodec } from "../src/text/hub/codec.ts";
import { Collector } from "../src/text/hub/collect.ts";
import { replay } from "../src/text/hub/replay.ts";
import type { Choice, TextAnswer, TextEvent } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import type { JsonObject, TextRequest } from "../src/text/hub/request.ts";
import { SseDecoder } from "../src/sse/decode.ts";

/** What a codec is told of the request that it answers. */
export function contextFor(request: Partial<TextRequest> = {}, asked: JsonObject = {}): AnswerContext {
  const plain: TextRequest = { model: "mine", stream: true, instructions: [], turns: [] };
  return {
    model: "mine",
    asked,
    request: { ...plain, ...request },
    answerId: "resp_abc",
    now: 1_763_700_000,
    inputTokens: 3,
  };
}

/** The text that a writer puts on the wire for a whole answer. */
export function written(writer: StreamWriter, answer: TextAnswer): string {
  return (
    replay(answer)
      .map((event) => writer.write(event))
      .join("") + writer.end()
  );
}

/** Frames of a stream, by the gateway's own decoder. */
export function framesOf(stream: string): readonly { readonly event?: string | undefined; readonly data: string }[] {
  const decoder = new SseDecoder();
  return [...decoder.push(Buffer.from(stream)), ...decoder.end()];
}

export function eventsOf(reader: StreamReader, stream: string): readonly TextEvent[] {
  return [...framesOf(stream).flatMap((frame) => reader.read(frame)), ...reader.end()];
}

/** The answer that a reader makes of a stream. */
export function readBack(reader: StreamReader, stream: string): TextAnswer {
  const collector = new Collector();
  for (const event of eventsOf(reader, stream)) collector.take(event);
  return collector.answer();
}

/** Renders requests that say nothing but what a test is about. */
export function renders(codec: TextCodec, target: Target): (fields: Partial<TextRequest>, to?: Target) => Rendered {
  return (fields, to = target) =>
    codec.renderRequest({ model: "m", stream: false, instructions: [], turns: [], ...fields }, to);
}

/** What is left of a value on its way as JSON. */
export function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** An answer of one choice, of nobody and no time. */
export function oneAnswer(parts: readonly Part[], finish: Choice["finish"] = "stop"): TextAnswer {
  return { id: "", model: "", createdAt: 0, choices: [{ parts, finish }] };
}

/** The parameters of the tool in that scene. */
export const weather = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** The dialogue of the scene that every wire tells in its own words: a question with a picture, a call, its result. */
export const roundTurns: TextRequest["turns"] = [
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
      { kind: "tool-result", callId: "call_1", name: "get_weather", parts: [{ kind: "text", text: '{"temp":4}' }] },
    ],
  },
];

/** The whole request of that scene; a wire adds how it says that little is to be thought. */
export const toolRound: TextRequest = {
  model: "m",
  stream: false,
  instructions: [{ kind: "text", text: "Be brief." }],
  tools: [{ kind: "function", name: "get_weather", description: "Weather now", parameters: weather }],
  toolChoice: { mode: "auto" },
  maxTokens: 300,
  turns: roundTurns,
};

/** What a law of answers is about. */
interface AnswersOfWire {
  readonly codec: TextCodec;
  readonly answered: fc.Arbitrary<TextAnswer>;
  /** What the wire keeps of an answer. */
  readonly told: (whole: TextAnswer) => TextAnswer;
  /** What of it a stream tells; absent: all. */
  readonly streamed?: (whole: TextAnswer) => TextAnswer;
  readonly context?: AnswerContext;
}

/** The two laws that hold for answers of every wire: whole and as streams, they are read as they were written. */
export function testsOfAnswers({
  codec,
  answered,
  told,
  streamed = (whole) => whole,
  context = contextFor(),
}: AnswersOfWire): void {
  test("a whole one survives this wire", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        expect(codec.parseAnswer(plain(codec.renderAnswer(whole, context)))).toEqual(told(whole));
      }),
    );
  });

  test("a stream is read back as what was written", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        const reader = codec.reader();
        const back = readBack(reader, written(codec.writer(context), whole));
        expect(streamed(back)).toEqual(streamed(told(whole)));
        expect(reader.whole).toBe(true);
      }),
    );
  });
}
