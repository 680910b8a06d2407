import { Failure } from "@modelgate/contracts";
import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import type { TextEvent } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import { messagesWire } from "../src/text/messages/index.ts";
import { maxBufferedCharacters } from "../src/text/messages/vendor-stream.ts";
import { assembledMessage, contextFor, eventsOf, framesOf, readBack, text, written } from "./harness.ts";

const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
const start = (part: number, id: string, custom?: boolean): TextEvent => ({
  type: "part-start",
  choice: 0,
  part,
  opened: { kind: "tool-call", id, name: id, custom },
});
const piece = (part: number, text: string): TextEvent => ({ type: "part-delta", choice: 0, part, text });
const partEnd = (part: number): TextEvent => ({ type: "part-end", choice: 0, part });

describe("a stream for a client", () => {
  const streamOf = (events: readonly TextEvent[]) => {
    const writer = messagesWire.client.stream(contextFor());
    return events.map((event) => writer.write(event)).join("") + writer.end();
  };

  test("a stream renders reasoning, text and a call event by event", () => {
    const stream = written(messagesWire.client.stream(contextFor()), {
      id: "x",
      model: "y",
      createdAt: 0,
      usage: { inputTokens: 25, cachedInputTokens: 1024, cacheWriteTokens: 200, outputTokens: 40, reasoningTokens: 12 },
      choices: [
        {
          finish: "tool-calls",
          parts: [
            { kind: "reasoning", text: "Need", signature: { wire: "messages", kind: "signature", value: "EqQB" } },
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

  test("interleaved calls are sent one after another", () => {
    const stream = streamOf([
      start(0, "a"),
      start(1, "b"),
      piece(0, "{"),
      piece(1, '{"x":'),
      piece(0, "}"),
      partEnd(0),
      piece(1, "1}"),
      partEnd(1),
      { type: "finish", choice: 0, reason: "stop" },
    ]);
    expect(assembledMessage(stream)).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { type: "tool_use", id: "a", input: {} },
        { type: "tool_use", id: "b", input: { x: 1 } },
      ],
    });
  });

  test("the text of a free-text tool becomes one argument, however it is split", () => {
    const [left = "", right = ""] = "😀".split("");
    const stream = streamOf([start(0, "a", true), piece(0, '"x"\n'), piece(0, left), piece(0, right), partEnd(0)]);
    expect(assembledMessage(stream)["content"]).toEqual([
      { type: "tool_use", id: "a", name: "a", input: { input: '"x"\n😀' } },
    ]);
  });

  test("begins once, and gets heartbeats", () => {
    const writer = messagesWire.client.stream(contextFor());
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

  test("a stream begins with its first text at the latest", () => {
    const writer = messagesWire.client.stream(contextFor());
    expect(framesOf(writer.write(start(0, "a"))).map(({ event }) => event)).toEqual([
      "message_start",
      "content_block_start",
    ]);
  });

  test("begins with the vendor's token count if there is one", () => {
    const writer = messagesWire.client.stream(contextFor());
    const usage = { inputTokens: 7, cachedInputTokens: 5, outputTokens: 1 };
    expect(writer.write({ type: "start", id: "", model: "", createdAt: 0, usage })).toContain(
      '"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":5',
    );
  });

  test("a broken stream ends with an error and nothing else", () => {
    const writer = messagesWire.client.stream(contextFor());
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
    expect(assembledMessage(streamOf([{ type: "finish", choice: 0, reason, stopSequence: "x" }]))).toMatchObject({
      stop_reason: word,
      stop_sequence: "x",
    });
  });
});

describe("a vendor's stream", () => {
  const frame = (body: JsonRecord): string => `event: ${String(body["type"])}\ndata: ${JSON.stringify(body)}\n\n`;
  const begin = (index: number, block: JsonRecord) =>
    frame({ type: "content_block_start", index, content_block: block });
  const grow = (index: number, delta: JsonRecord) => frame({ type: "content_block_delta", index, delta });
  const stop = (index: number) => frame({ type: "content_block_stop", index });
  const head = frame({
    type: "message_start",
    message: { id: "msg_1", model: "v", usage: { input_tokens: 25, cache_read_input_tokens: 1024, output_tokens: 1 } },
  });
  const tail =
    frame({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 40 } }) +
    frame({ type: "message_stop" });
  const read = (body: string) => readBack(messagesWire.vendor.stream(), head + body + tail);

  test("is read with its pings, and with the input tokens from its start", () => {
    const events = eventsOf(messagesWire.vendor.stream(), `${head}${frame({ type: "ping" })}${tail}`);
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
      "unknown events and deltas are skipped",
      `${frame({ type: "riddle" })}${frame({ type: "constructor" })}${begin(0, { type: "text", text: "" })}${grow(0, { type: "riddle_delta" })}${grow(0, { type: "text_delta", text: "a" })}${stop(0)}`,
      [text("a")],
    ],
    ["text at a block's start is text", begin(0, { type: "text", text: "a" }) + stop(0), [text("a")]],
    ["text without a block's start is text", grow(0, { type: "text_delta", text: "a" }), [text("a")]],
    [
      "arguments at a call's start are arguments",
      begin(0, { type: "tool_use", id: "t", name: "f", input: { x: 1 } }) + stop(0),
      [{ kind: "tool-call", id: "t", name: "f", arguments: '{"x":1}' }],
    ],
    [
      "a call without arguments has an empty object",
      begin(0, { type: "tool_use", id: "t", name: "f", input: {} }) +
        grow(0, { type: "input_json_delta", partial_json: "" }) +
        stop(0),
      [{ kind: "tool-call", id: "t", name: "f", arguments: "{}" }],
    ],
    [
      "hidden thinking keeps its signature",
      begin(0, { type: "thinking", thinking: "", signature: "" }) +
        grow(0, { type: "signature_delta", signature: "Eq" }) +
        grow(0, { type: "signature_delta", signature: "QB" }) +
        stop(0),
      [{ kind: "reasoning", text: "", signature: { wire: "messages", kind: "signature", value: "EqQB" } }],
    ],
    [
      "a vendor-specific block is passed on complete",
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
    const reader = messagesWire.vendor.stream();
    const [event] = eventsOf(reader, frame({ type: "error", error: { type, message: "no" } }));
    expect(event).toEqual({ type: "failure", code: type, message: "no", ...(status === undefined ? {} : { status }) });
    expect(reader.isComplete).toBe(false);
  });

  test("has the usage of its newest reports together", () => {
    const report = (usage: JsonRecord) => frame({ type: "message_delta", delta: {}, usage });
    const body = report({ input_tokens: 30, output_tokens: 2 }) + report({ output_tokens: 4 });
    const events = eventsOf(messagesWire.vendor.stream(), head + body);
    expect(events.at(-1)).toEqual({
      type: "usage",
      usage: { inputTokens: 30, cachedInputTokens: 1024, outputTokens: 4 },
    });
  });

  test("a stream that is not JSON is a failure", () => {
    expect(eventsOf(messagesWire.vendor.stream(), "data: {\n\n")).toMatchObject([{ type: "failure" }]);
  });

  test("a cut stream ends its parts and is incomplete", () => {
    const reader = messagesWire.vendor.stream();
    const events = eventsOf(reader, head + grow(0, { type: "text_delta", text: "x" }));
    expect(events.map(({ type }) => type)).toEqual(["start", "part-start", "part-delta", "part-end"]);
    expect(reader.isComplete).toBe(false);
  });

  test("without a stop reason counts as ended normally", () => {
    const reader = messagesWire.vendor.stream();
    expect(readBack(reader, head + frame({ type: "message_stop" })).choices).toEqual([{ parts: [], finish: "stop" }]);
    expect(reader.isComplete).toBe(true);
  });

  test("a vendor's block that never ends is aborted", () => {
    const reader = messagesWire.vendor.stream();
    eventsOf(reader, begin(0, search));
    const delta = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: "x".repeat(maxBufferedCharacters + 1) },
    };
    expect(() => reader.read({ data: JSON.stringify(delta) })).toThrow(
      expect.objectContaining({ code: "upstream_error" }),
    );
  });
});
