import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Units } from "@modelgate/contracts";
import { SseSplitter } from "@modelgate/formats/sse";
import { wires as textWires, type TextAnswer } from "../src/text/index.ts";
import { completionsWire } from "../src/text/completions/index.ts";
import type { Part } from "../src/text/hub/part.ts";
import { parseRecord } from "@modelgate/formats/json";
import { answer, functionCall, textPart, units, word } from "./arbitraries.ts";
import {
  twoSidedWires,
  contextFor,
  eventsOf,
  framesOf,
  oneAnswer,
  readBack,
  written,
  type TwoSidedWire,
} from "./harness.ts";

const reasoningPart = word.map((text): Part => ({ kind: "reasoning", text, id: "rs_1" }));
const answers = answer(
  fc
    .tuple(fc.array(reasoningPart, { maxLength: 1 }), textPart, fc.array(functionCall, { maxLength: 2 }))
    .map(([thoughts, text, calls]): readonly Part[] => [
      ...thoughts,
      text,
      ...calls.map((call, index) => ({ ...call, id: `${call.id}${index}` })),
    ]),
  fc.constantFrom("stop"),
);
const context = contextFor({ includeUsage: true });

/** Returns the first `part` percent of a stream, and the frames that end it there. */
function endedAt(wire: TwoSidedWire, stream: string, part: number, used: Units): readonly [string, string] | undefined {
  const frames = new SseSplitter().push(Buffer.from(stream));
  const sentFrames = frames.slice(0, Math.floor((frames.length * part) / 100));
  const pass = textWires[wire].pass;
  const early = pass.earlyEnd?.({ choices: 1, includeUsage: true });
  let sequence: number | undefined;
  for (const frame of sentFrames) {
    early?.recordFrame(frame, pass.extractRawText(frame));
    sequence = pass.inspect(frame).sequence ?? sequence;
  }
  const end = early?.frames(used, sequence);
  return end === undefined ? undefined : [Buffer.concat(sentFrames).toString(), end.join("")];
}

/** A call whose arguments had not begun has the arguments `{}`. */
const contents = ({ choices }: TextAnswer): readonly object[] =>
  choices
    .flatMap(({ parts }) => parts)
    .flatMap((part): readonly object[] => {
      if (part.kind === "tool-call") return [{ call: part.name, text: part.arguments === "" ? "{}" : part.arguments }];
      return "text" in part && part.text !== "" ? [{ kind: part.kind, text: part.text }] : [];
    });

describe.each(twoSidedWires)("%s", (wire) => {
  const { client, vendor } = textWires[wire];

  test("a stream that is ended early is complete for its client, with the reason and the usage", () => {
    fc.assert(
      fc.property(answers, units, fc.nat(99), (whole, used, part) => {
        const [sentStream, end] = endedAt(wire, written(client.stream(context), whole), part, used) ?? [];
        if (sentStream === undefined || end === undefined) return;
        const reader = vendor.stream();
        const events = eventsOf(reader, sentStream + end);
        expect(reader.isComplete).toBe(true);
        expect(events.filter(({ type }) => type === "failure")).toEqual([]);
        const ends = events.flatMap((event) => (event.type === "finish" ? [event.reason] : []));
        expect(ends).toHaveLength(1);
        // A stream that had already finished keeps its finish reason.
        const before = eventsOf(vendor.stream(), sentStream).some(({ type }) => type === "finish");
        if (!before) expect(ends).toEqual(["length"]);
        const received = readBack(vendor.stream(), sentStream + end);
        expect(contents(received)).toEqual(contents(readBack(vendor.stream(), sentStream)));
        if (!before) expect(received.usage).toEqual(used);
      }),
    );
  });

  test("a stream that has not begun is not ended", () => {
    expect(textWires[wire].pass.earlyEnd?.({ choices: 1, includeUsage: true }).frames({}, undefined)).toBeUndefined();
  });
});

test("responses: the last event repeats all that was sent, and sequence numbers continue", () => {
  const { responses } = textWires;
  fc.assert(
    fc.property(answers, units, fc.nat(99), (whole, used, part) => {
      const [sentStream, end] =
        endedAt("responses", written(responses.client.stream(context), whole), part, used) ?? [];
      if (sentStream === undefined || end === undefined) return;
      const events = framesOf(sentStream + end).map(({ data }) => parseRecord(data));
      expect(events.map((event) => event?.["sequence_number"])).toEqual(events.map((_, index) => index));
      const last = parseRecord(JSON.stringify(events.at(-1)?.["response"]));
      if (last === undefined) throw new Error("the last event has no response");
      expect(last).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
      expect(contents(responses.vendor.parse(last))).toEqual(contents(readBack(responses.vendor.stream(), sentStream)));
    }),
  );
});

test("every choice that is still open is ended, in chat and in completions", () => {
  const chunk = (choice: object): Buffer =>
    Buffer.from(`data: ${JSON.stringify({ id: "c", object: "o", created: 1, model: "m", choices: [choice] })}\n\n`);
  const passed = [
    chunk({ index: 0, delta: { content: "a" }, finish_reason: null }),
    chunk({ index: 1, delta: {}, finish_reason: "stop" }),
    chunk({ index: 2, delta: { content: '"finish_reason":"' }, finish_reason: null }),
  ];
  for (const wire of ["chat", "completions"] as const) {
    const early = textWires[wire].pass.earlyEnd?.({ choices: 3, includeUsage: false });
    for (const frame of passed) early?.recordFrame(frame, textWires[wire].pass.extractRawText(frame));
    const frames = early?.frames({ outputTokens: 2 }, undefined) ?? [];
    const sent = frames.map((frame) => parseRecord(frame.slice("data: ".length)));
    expect(sent.map((each) => each?.["choices"])).toMatchObject(
      [[{ index: 0, finish_reason: "length" }], [{ index: 2, finish_reason: "length" }], undefined].map(
        (each) => each ?? undefined,
      ),
    );
    expect(frames.at(-1)).toBe("data: [DONE]\n\n");
  }
  const writer = completionsWire.client.stream(contextFor());
  expect(written(writer, oneAnswer([{ kind: "text", text: "a" }], "length"))).toContain('"finish_reason":"length"');
});
