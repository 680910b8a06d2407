import type { Rendered } from "../src/wire.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import type {
  AnswerContext,
  TextClient,
  StreamReader,
  StreamWriter,
  TextTarget,
  TextVendor,
  VendorTextWire,
} from "../src/text/hub/wire.ts";
import { Collector } from "./collect.ts";
import { answerToEvents } from "../src/text/hub/events.ts";
import type { Choice, TextAnswer, TextEvent } from "../src/text/hub/answer.ts";
import type { Part, TextPart, ToolResultPart } from "../src/text/hub/part.ts";
import type { TextRequest } from "../src/text/hub/request.ts";
import { SseDecoder } from "@modelgate/formats/sse";
import { wires } from "../src/text/wires.ts";

export type TwoSidedWire = {
  [Name in keyof typeof wires]: (typeof wires)[Name] extends TwoSides ? Name : never;
}[keyof typeof wires];

interface TwoSides {
  readonly client: TextClient;
  readonly vendor: TextVendor;
}

/** Taken from the registry, so that a new wire is tested with all others. */
export const twoSidedWires: readonly TwoSidedWire[] = Object.keys(wires).filter((name): name is TwoSidedWire => {
  const wire: Partial<TwoSides> = Object.entries(wires).find(([key]) => key === name)?.[1] ?? {};
  return wire.client !== undefined && wire.vendor !== undefined;
});

/** Creates the context of an answer to a minimal request with these members. */
export function contextFor(request: Partial<TextRequest> = {}, clientBody: JsonRecord = {}): AnswerContext {
  const plain: TextRequest = { model: "mine", stream: true, instructions: [], turns: [] };
  return {
    model: "mine",
    requestBody: clientBody,
    request: { ...plain, ...request },
    answerId: "resp_abc",
    now: 1_763_700_000,
    inputTokens: 3,
  };
}

export function written(writer: StreamWriter, answer: TextAnswer): string {
  return (
    answerToEvents(answer)
      .map((event) => writer.write(event))
      .join("") + writer.end()
  );
}

export function framesOf(stream: string): readonly { readonly event?: string | undefined; readonly data: string }[] {
  const decoder = new SseDecoder();
  return [...decoder.push(Buffer.from(stream)), ...decoder.end()];
}

export function eventsOf(reader: StreamReader, stream: string): readonly TextEvent[] {
  return [...framesOf(stream).flatMap((frame) => reader.read(frame)), ...reader.end()];
}

export function readBack(reader: StreamReader, stream: string): TextAnswer {
  const collector = new Collector();
  for (const event of eventsOf(reader, stream)) collector.take(event);
  return collector.answer();
}

/** Creates a function that renders a minimal request with the given fields. */
export function renders(
  { vendor }: VendorTextWire,
  target: TextTarget,
): (fields: Partial<TextRequest>, to?: TextTarget) => Rendered {
  return (fields, to = target) =>
    vendor.render({ model: "m", stream: false, instructions: [], turns: [], ...fields }, to);
}

export function plain(value: object): JsonRecord {
  return JSON.parse(JSON.stringify(value));
}

export function oneAnswer(parts: readonly Part[], finish: Choice["finish"] = "stop"): TextAnswer {
  return { id: "", model: "", createdAt: 0, choices: [{ parts, finish }] };
}

export function text(content: string): TextPart {
  return { kind: "text", text: content };
}

export function user(...parts: readonly Part[]): Partial<TextRequest> {
  return { turns: [{ role: "user", parts }] };
}

/** Creates a call of the tool `f`. */
export function calling(id: string): Part {
  return { kind: "tool-call", id, name: "f", arguments: "{}" };
}

export function result(callId: string): ToolResultPart {
  return { kind: "tool-result", callId, name: "f", parts: [text("ok")] };
}

export const tools = [
  { kind: "function", name: "f" },
  { kind: "function", name: "g" },
] as const;

export const weather = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** Turns of `toolRound`: a question with an image, a call, and its result. */
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

export const toolRound: TextRequest = {
  model: "m",
  stream: false,
  instructions: [{ kind: "text", text: "Be brief." }],
  tools: [{ kind: "function", name: "get_weather", description: "Weather now", parameters: weather }],
  toolChoice: { mode: "auto" },
  maxTokens: 300,
  turns: roundTurns,
};

interface AnswersOfWire {
  readonly wire: { readonly vendor: TextVendor; readonly client: TextClient };
  readonly answered: fc.Arbitrary<TextAnswer>;
  /** Returns the answer as rendering and parsing change it. */
  readonly expected: (whole: TextAnswer) => TextAnswer;
  /** Returns the answer as a stream can express it. */
  readonly streamed?: (whole: TextAnswer) => TextAnswer;
  readonly context?: AnswerContext;
}

/** Tests that the parser of a wire reads its rendered answers. */
export function testsOfAnswers({
  wire,
  answered,
  expected,
  streamed = (whole) => whole,
  context = contextFor(),
}: AnswersOfWire): void {
  test("a whole one survives this wire", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        expect(wire.vendor.parse(plain(wire.client.render(whole, context)))).toEqual(expected(whole));
      }),
    );
  });

  test("a written stream is read back without changes", () => {
    fc.assert(
      fc.property(answered, (whole) => {
        const reader = wire.vendor.stream();
        const back = readBack(reader, written(wire.client.stream(context), whole));
        expect(streamed(back)).toEqual(streamed(expected(whole)));
        expect(reader.isComplete).toBe(true);
      }),
    );
  });
}

/** Combines the events of a stream as an SDK does. */
export function assembledMessage(stream: string): JsonRecord {
  const message: JsonRecord[] = [];
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
