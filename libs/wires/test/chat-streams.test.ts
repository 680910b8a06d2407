import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { chatWire } from "../src/text/chat/index.ts";
import type { TextEvent } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import { eventsOf, plain, readBack } from "./harness.ts";

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", model: "m", created: 5, choices: [{ index: 0, delta, ...more }] })}\n\n`;
const end = (word: string | null): string => `${chunk({}, { finish_reason: word })}data: [DONE]\n\n`;
const callChunk = (index: number | undefined, id: string, name: string, text: string): string =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] });

describe("a vendor's stream", () => {
  test.each<readonly [string, string, readonly Part[]]>([
    [
      "reasoning under both names, and in details",
      chunk({ reasoning_content: "a" }) +
        chunk({ reasoning: "b" }) +
        chunk({ reasoning_details: [{ type: "reasoning.text", text: "c" }] }) +
        chunk({ content: "d" }),
      [
        { kind: "reasoning", text: "abc" },
        { kind: "text", text: "d" },
      ],
    ],
    [
      "content as parts",
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "a" }] }] }) +
        chunk({ content: [{ type: "text", text: "b" }] }),
      [
        { kind: "reasoning", text: "a" },
        { kind: "text", text: "b" },
      ],
    ],
    [
      "a vendor's encrypted details, in pieces",
      chunk({ reasoning: "a", reasoning_details: [{ type: "reasoning.text", index: 0, text: "a" }] }) +
        chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, text: null, signature: "sig" }] }) +
        chunk({ content: "b" }),
      [
        {
          kind: "reasoning",
          text: "a",
          signature: {
            wire: "chat",
            kind: "reasoning_details",
            value: '[{"type":"reasoning.text","index":0,"text":"a","signature":"sig"}]',
          },
        },
        { kind: "text", text: "b" },
      ],
    ],
    [
      "calls in interleaved pieces",
      callChunk(0, "a", "f", "{") +
        callChunk(1, "b", "g", "[") +
        callChunk(0, "", "", '"x":1}') +
        callChunk(1, "", "", "]"),
      [
        { kind: "tool-call", id: "a", name: "f", arguments: '{"x":1}' },
        { kind: "tool-call", id: "b", name: "g", arguments: "[]" },
      ],
    ],
    [
      "calls without indexes",
      callChunk(undefined, "a", "f", "{}") + callChunk(undefined, "b", "g", "{}"),
      [
        { kind: "tool-call", id: "a", name: "f", arguments: "{}" },
        { kind: "tool-call", id: "b", name: "g", arguments: "{}" },
      ],
    ],
    [
      "calls that share an index; a repeated id",
      callChunk(0, "a", "f", "{") + callChunk(0, "a", "", "}") + callChunk(0, "b", "g", "{}"),
      [
        { kind: "tool-call", id: "a", name: "f", arguments: "{}" },
        { kind: "tool-call", id: "b", name: "g", arguments: "{}" },
      ],
    ],
    [
      "a signature in Google's spelling",
      chunk({
        tool_calls: [
          {
            index: 0,
            id: "a",
            function: { name: "f", arguments: "{}" },
            extra_content: { google: { thought_signature: "sig" } },
          },
        ],
      }),
      [
        {
          kind: "tool-call",
          id: "a",
          name: "f",
          arguments: "{}",
          signature: { wire: "chat", kind: "thought_signature", value: "sig" },
        },
      ],
    ],
    [
      "audio in pieces",
      chunk({ audio: { id: "au", data: "AAA=", transcript: "he" } }) +
        chunk({ audio: { data: "AQ==", transcript: "y" } }),
      [{ kind: "vendor", wire: "chat", value: { audio: { id: "au", data: "AAAB", transcript: "hey" } } }],
    ],
    [
      "an image",
      chunk({ content: "see", images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }] }),
      [
        { kind: "text", text: "see" },
        { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
      ],
    ],
    [
      "null content, and unknown members",
      chunk({ role: "assistant", content: "" }) +
        chunk({ content: null, riddle: 1, tool_calls: [null] }) +
        chunk({ content: "x" }, { riddle: 2 }),
      [{ kind: "text", text: "x" }],
    ],
  ])("%s", (_, stream, parts) => {
    const reader = chatWire.vendor.stream();
    expect(readBack(reader, stream + end("stop")).choices[0]?.parts).toEqual(parts);
    expect(reader.isComplete).toBe(true);
  });

  test("a complete call ends when the next call begins, before the end of the stream", () => {
    const events = eventsOf(chatWire.vendor.stream(), callChunk(0, "a", "f", '{"x":1}') + callChunk(1, "b", "g", ""));
    expect(events.map((event) => event.type)).toEqual([
      "start",
      "part-start",
      "part-delta",
      "part-end",
      "part-start",
      "part-delta",
      "part-end",
    ]);
    expect(events.at(-2)).toMatchObject({ text: "{}" });
  });

  test.each<readonly [string, JsonRecord, string, object]>([
    ["stop", {}, "x", { finish: "stop" }],
    ["length", {}, "x", { finish: "length" }],
    ["content_filter", {}, "x", { finish: "filtered" }],
    ["sensitive", {}, "x", { finish: "filtered" }],
    ["whatever", {}, "x", { finish: "stop" }],
    ["stop", { stop_reason: "END" }, "x", { finish: "stop-sequence", stopSequence: "END" }],
    ["stop", { stop_reason: 7 }, "x", { finish: "stop" }],
  ])("%s %j", (word, more, content, finish) => {
    const stream = `${chunk({ content })}${chunk({}, { finish_reason: word, ...more })}data: [DONE]\n\n`;
    expect(readBack(chatWire.vendor.stream(), stream).choices[0]).toMatchObject(finish);
  });

  test("an answer with calls ends with tool_calls, whatever the vendor's reason is", () => {
    expect(readBack(chatWire.vendor.stream(), callChunk(0, "a", "f", "{}") + end("stop")).choices[0]?.finish).toBe(
      "tool-calls",
    );
    expect(
      readBack(chatWire.vendor.stream(), `${callChunk(0, "a", "f", "{}")}data: [DONE]\n\n`).choices[0]?.finish,
    ).toBe("tool-calls");
  });

  const usage = { prompt_tokens: 2, completion_tokens: 1 };
  test.each<readonly [string, string, boolean]>([
    [
      "in the last chunk",
      `${end("stop").replace("data: [DONE]\n\n", "")}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
      true,
    ],
    [
      "in every chunk: the last one counts",
      chunk({}, { usage: { prompt_tokens: 2, completion_tokens: 9 } }) + chunk({}, { finish_reason: "stop", usage }),
      true,
    ],
    [
      "inside the choice, and no terminal frame",
      chunk({ content: "x" }, {}) + chunk({}, { finish_reason: "stop", usage }),
      true,
    ],
    ["never, and cut after the end", chunk({}, { finish_reason: "stop" }), false],
  ])("usage %s", (_, stream, whole) => {
    const reader = chatWire.vendor.stream();
    const answer = readBack(reader, chunk({ content: "x" }) + stream);
    expect(reader.isComplete).toBe(whole);
    expect(answer.usage).toEqual(whole ? { inputTokens: 2, outputTokens: 1 } : undefined);
  });

  test.each<readonly [object, TextEvent]>([
    [
      { error: { code: "rate_limit_exceeded", message: "slow" } },
      { type: "failure", code: "rate_limit_exceeded", message: "slow" },
    ],
    [
      { error: { code: 502, message: "no" }, choices: [] },
      { type: "failure", code: "server_error", message: "no", status: 502 },
    ],
    [{ error: "no" }, { type: "failure", code: "server_error", message: "no" }],
    [
      { object: "error", type: "BadRequest", message: "no" },
      { type: "failure", code: "BadRequest", message: "no" },
    ],
  ])("%j is a failure", (body, failure) => {
    const reader = chatWire.vendor.stream();
    expect(eventsOf(reader, `data: ${JSON.stringify(body)}\n\n`)).toEqual([failure]);
    expect(reader.isComplete).toBe(false);
    expect(() => chatWire.vendor.parse(plain(body))).toThrow(expect.objectContaining({ code: "upstream_error" }));
  });

  test("a cut stream ends its parts and is incomplete", () => {
    const reader = chatWire.vendor.stream();
    const events = eventsOf(reader, chunk({ content: "x" }) + "data: {\n\n");
    expect(events.map(({ type }) => type)).toEqual(["start", "part-start", "part-delta", "failure", "part-end"]);
    expect(reader.isComplete).toBe(false);
  });
});

test.each<readonly [string, JsonRecord]>([
  ["no choice", { choices: [] }],
  ["no answer", { id: "x" }],
  ["a message that cannot be read", { choices: [{ message: { content: [{ type: "riddle" }] } }] }],
])("%s is the vendor's error", (_, body) => {
  expect(() => chatWire.vendor.parse(body)).toThrow(expect.objectContaining({ code: "upstream_error" }));
});

test("each part is opened and ended exactly once, for any chunks", () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("x", [{}], [{ index: 0, id: "a", function: { name: "f" } }]),
  );
  const names = [
    "content",
    "reasoning",
    "refusal",
    "reasoning_details",
    "images",
    "tool_calls",
    "function_call",
    "audio",
  ];
  const delta = fc.dictionary(fc.constantFrom(...names, "annotations"), odd);
  fc.assert(
    fc.property(fc.array(fc.tuple(delta, odd), { maxLength: 6 }), (deltas) => {
      const stream = deltas.map(([each, logprobs]) => chunk(each, { logprobs })).join("");
      const events = eventsOf(chatWire.vendor.stream(), stream + end("stop"));
      const numbers = (type: TextEvent["type"]): readonly number[] =>
        events
          .flatMap((event) => (event.type === type && "part" in event ? [event.part] : []))
          .toSorted((a, b) => a - b);
      expect(numbers("part-end")).toEqual(numbers("part-start"));
      expect(new Set(numbers("part-start")).size).toBe(numbers("part-start").length);
    }),
  );
});
