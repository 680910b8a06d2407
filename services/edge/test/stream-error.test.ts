import { describe, expect, test } from "vitest";
import { Failure, failureFrameOf } from "@modelgate/contracts";
import { SseDecoder } from "@modelgate/formats/sse";
import { errorAppenderOf } from "../src/stream-error.ts";

const failure = new Failure("server_overloaded", "gone");
const sse = "text/event-stream; charset=utf-8";

/**
 * Returns the text that a client gets of a stream that is interrupted after `cut` bytes. It arrives in pieces of
 * `piece` bytes.
 */
function interruptedStream(
  endpointId: string,
  contentType: string,
  stream: string,
  cut: number,
  piece: number,
): string {
  const end = errorAppenderOf({ endpointId, contentType, canAppend: true });
  if (end === undefined) throw new Error("it cannot be ended");
  const bytes = Buffer.from(stream).subarray(0, cut);
  let got = "";
  for (let at = 0; at < bytes.length; at += piece) got += end.push(bytes.subarray(at, at + piece)).toString("latin1");
  return got + (end.renderEnd(failure, "req_1") ?? "");
}

function eventsOf(text: string): readonly { readonly event: string | undefined; readonly data: string | undefined }[] {
  const decoder = new SseDecoder();
  const events = [...decoder.push(Buffer.from(text)), ...decoder.end()];
  return events.map(({ event, data }) => ({ event, data }));
}

describe.each([
  ["chatCompletions", 'data: {"choices":[{"delta":{"content":"one"}}]}\n\n: alive\n\ndata: {"choices":[]}\n\n'],
  ["streamGenerateContent", 'data: {"candidates":[{"a":1}]}\r\n\r\ndata: {"candidates":[]}\r\n\r\n'],
  ["messages", 'event: ping\ndata: {"type":"ping"}\n\nevent: message_start\ndata: {"type":"message_start"}\n\n'],
  [
    "responses",
    'event: a\ndata: {"type":"a","sequence_number":7}\n\nevent: b\ndata: {"type":"b","sequence_number":8}\n\n',
  ],
])("%s, interrupted at any byte", (endpointId, stream) => {
  test.each([1, 2, 7, 1_000])("in chunks of %d, every event is complete and the last is the wire's error", (piece) => {
    for (let cut = 0; cut <= stream.length; cut++) {
      const events = eventsOf(interruptedStream(endpointId, sse, stream, cut, piece)).filter(
        ({ data }) => data !== undefined,
      );
      const whole = eventsOf(stream).filter(({ data }) => data !== undefined);
      expect(events.slice(0, -1)).toEqual(whole.slice(0, events.length - 1));
      for (const { data } of events) expect(() => void JSON.parse(data ?? "")).not.toThrow();
      expect(events.at(-1)?.data).toContain("gone");
    }
  });
});

test("the error of a numbered stream has the next number", () => {
  const stream = 'event: a\ndata: {"type":"a","sequence_number": 41}\n\n';
  expect(eventsOf(interruptedStream("responses", sse, stream, stream.length, 9)).at(-1)?.data).toContain(
    '"sequence_number":42',
  );
});

test("an event above the buffer limit is passed on, and its line is ended before the error", () => {
  const stream = `data: {"text":"${"x".repeat(200_000)}`;
  const got = interruptedStream("chatCompletions", sse, stream, stream.length, 16_384);
  expect(got.startsWith(stream)).toBe(true);
  expect(got.slice(stream.length)).toBe(`\n\n${failureFrameOf("chatCompletions")?.(failure, "req_1")}`);
});

test("a complete stream passes unchanged", () => {
  const stream = `data: ${"é".repeat(40_000)}\n\ndata: [DONE]\n\nand no end`;
  const end = errorAppenderOf({ endpointId: "chatCompletions", contentType: sse, canAppend: true });
  const bytes = Buffer.from(stream);
  const got: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 999) got.push(end?.push(bytes.subarray(at, at + 999)) ?? Buffer.alloc(0));
  expect(Buffer.concat([...got, end?.buffered ?? Buffer.alloc(0)]).equals(bytes)).toBe(true);
});

describe("one JSON array of generated content", () => {
  const stream = '\n[{"text":"a \\"}]{ b"},\r\n{"parts":[{"n":1}]},\r\n{"c":[]}]';

  test.each([1, 3, 1_000])(
    "interrupted at any byte, in chunks of %d, it is an array that ends with the error",
    (piece) => {
      for (let cut = 0; cut < stream.length - 1; cut++) {
        const got: unknown = JSON.parse(
          interruptedStream("streamGenerateContent", "application/json", stream, cut, piece),
        );
        const whole: unknown = JSON.parse(stream);
        if (!Array.isArray(got) || !Array.isArray(whole)) throw new Error("no arrays");
        expect(got.slice(0, -1)).toEqual(whole.slice(0, got.length - 1));
        expect(got.at(-1)).toMatchObject({ error: { status: "UNAVAILABLE", message: "gone" } });
      }
    },
  );
});

test.each([
  ["a body with a declared length", { endpointId: "chatCompletions", contentType: sse, canAppend: false }],
  ["sound", { endpointId: "speech", contentType: "audio/mpeg", canAppend: true }],
  ["an answer in one piece", { endpointId: "chatCompletions", contentType: "application/json", canAppend: true }],
])("%s cannot be ended with an error message", (_, head) => {
  expect(errorAppenderOf(head)).toBeUndefined();
});

test.each([
  ["ollamaChat", "application/x-ndjson", [" ", " ", '{"done":true}\n', " "]],
  ["streamGenerateContent", "application/json", ["\n", '[{"a":1}', "\n", ' ,{"b":2}', "\n", "]"]],
])("heartbeats of %s are sent at once", (endpointId, contentType, chunks) => {
  const end = errorAppenderOf({ endpointId, contentType, canAppend: true });
  expect(chunks.map((chunk) => end?.push(Buffer.from(chunk)).toString())).toEqual(chunks);
});

test("a stream of lines ends with an error on a separate line, wherever it was interrupted", () => {
  const firstLine = '{"message":{"content":"Hello"},"done":false}\n';
  const error = '{"error":"gone"}\n';
  for (const cut of [0, firstLine.length, firstLine.length + 10])
    for (const piece of [1, 7, 500]) {
      const got = interruptedStream("ollamaChat", "application/x-ndjson", firstLine + firstLine, cut, piece);
      expect(got).toBe((cut < firstLine.length ? "" : firstLine) + error);
    }
});
