import fc from "fast-check";
import { expect, test } from "vitest";
import { chatWire } from "../src/text/chat/index.ts";
import { contentWire } from "../src/text/content/index.ts";
import { SseDecoder } from "@modelgate/formats/sse";
import { interactionsWire } from "../src/text/interactions/index.ts";
import { responsesWire } from "../src/text/responses/index.ts";
import type { TextAnswer, TextEvent } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import { answer, functionCall, textPart } from "./arbitraries.ts";
import { contextFor, eventsOf, readBack, written } from "./harness.ts";

const common = answer(
  fc
    .tuple(textPart, fc.array(functionCall, { maxLength: 3 }))
    .map(([text, calls]): readonly Part[] => [
      text,
      ...calls.map((call, index) => ({ ...call, id: `${call.id}${index}` })),
    ]),
  fc.constantFrom("stop", "length"),
);
/** The chat wire reports usage only on request. */
const context = contextFor({ includeUsage: true });
const choicesAndUsage = ({ choices, usage }: TextAnswer): object => ({ choices, usage });

test.each([
  ["content to responses", contentWire, responsesWire],
  ["responses to content", responsesWire, contentWire],
  ["chat to responses", chatWire, responsesWire],
  ["responses to chat", responsesWire, chatWire],
  ["chat to content", chatWire, contentWire],
  ["content to chat", contentWire, chatWire],
  ["interactions to responses", interactionsWire, responsesWire],
  ["chat to interactions", chatWire, interactionsWire],
])("%s: the events of the client's stream match the vendor's", (_, vendor, client) => {
  fc.assert(
    fc.property(common, (whole) => {
      const writer = client.client.stream(context);
      const events = eventsOf(vendor.vendor.stream(), written(vendor.client.stream(context), whole));
      const stream = events.map((event) => writer.write(event)).join("") + writer.end();
      expect(choicesAndUsage(readBack(client.vendor.stream(), stream))).toEqual(choicesAndUsage(whole));
    }),
  );
});

test.each([
  ["chat", chatWire],
  ["responses", responsesWire],
  ["content", contentWire],
  ["interactions", interactionsWire],
])("%s: any split of the bytes gives the same events", (_, wire) => {
  fc.assert(
    fc.property(common, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
      const stream = written(wire.client.stream(context), whole);
      const bytes = Buffer.from(stream);
      const positions = [0, ...cuts.map((cut) => cut % bytes.length).sort((left, right) => left - right), bytes.length];
      const decoder = new SseDecoder();
      const frames = positions.flatMap((start, index) =>
        decoder.push(bytes.subarray(start, positions[index + 1] ?? start)),
      );
      const reader = wire.vendor.stream();
      const events: readonly TextEvent[] = [...frames, ...decoder.end()].flatMap((frame) => reader.read(frame));
      expect([...events, ...reader.end()]).toEqual(eventsOf(wire.vendor.stream(), stream));
    }),
  );
});

/** A call without arguments, for which some vendors send an empty text instead of JSON. */
const bareCall: TextAnswer = {
  id: "a",
  model: "m",
  createdAt: 1,
  choices: [{ parts: [{ kind: "tool-call", id: "call_1", name: "f", arguments: "" }], finish: "tool-calls" }],
};
const partsOf = ({ choices: [choice] }: TextAnswer) => choice?.parts;
const callWith = (text: string) => [{ kind: "tool-call", id: "call_1", name: "f", arguments: text }];

test.each([
  ["chat", chatWire],
  ["responses", responsesWire],
])("%s: a function's empty arguments are read as an empty object, streamed or not", (_, wire) => {
  const stream = written(wire.client.stream(context), bareCall);
  expect(partsOf(readBack(wire.vendor.stream(), stream))).toEqual(callWith("{}"));
  const whole = JSON.parse(JSON.stringify(wire.client.render(bareCall, context)));
  expect(partsOf(wire.vendor.parse(whole))).toEqual(callWith("{}"));
});
