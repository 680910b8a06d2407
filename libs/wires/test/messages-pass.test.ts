import { runToEnd, type JsonRecord } from "@modelgate/formats/json";
import { Failure } from "@modelgate/contracts";
import { describe, expect, test } from "vitest";
import type { TextAnswer } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import { messagesWire } from "../src/text/messages/index.ts";
import { messagesPass } from "../src/text/messages/pass.ts";
import type { SeenFrame } from "../src/text/pass.ts";
import { placeholderSignature } from "../src/text/hub/signatures.ts";
import { contextFor, text } from "./harness.ts";

describe("passing through", () => {
  const frame = (body: JsonRecord): Buffer =>
    Buffer.from(`event: ${String(body["type"])}\ndata: ${JSON.stringify(body)}\n\n`);
  const before = { inputTokens: 25, cachedInputTokens: 1024, outputTokens: 1 };
  const quiet = { usageOnly: false, done: false, failure: undefined };

  test("the vendor's request differs only in the model", () => {
    const body = Buffer.from(
      '{"model":"mine", "messages":[{"role":"user","content":"x"}],"seed":12345678901234567890}',
    );
    expect(runToEnd(messagesPass.upstreamBody(body, { reportUsage: true }))).toBe(body);
    expect(runToEnd(messagesPass.upstreamBody(body, { model: "theirs", reportUsage: true })).toString()).toBe(
      '{"model":"theirs", "messages":[{"role":"user","content":"x"}],"seed":12345678901234567890}',
    );
  });

  test.each([
    ["refusal", 0, { inputTokens: 0, outputTokens: 0 }],
    ["refusal", 3, { ...before, outputTokens: 3 }],
    ["end_turn", 0, { ...before, outputTokens: 0 }],
  ])("an answer that ends with %s after %d output tokens is charged", (reason, outputTokens, charged) => {
    const usage = { input_tokens: 25, cache_read_input_tokens: 1024, output_tokens: outputTokens };
    const last = { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: outputTokens } };
    expect(messagesPass.inspect(frame(last), before).usage).toEqual(charged);
    const whole = { type: "message", role: "assistant", content: [], stop_reason: reason, usage };
    expect(messagesWire.vendor.usage(whole)).toEqual(charged);
    const reader = messagesWire.vendor.stream();
    const events = [{ type: "message_start", message: { ...whole, stop_reason: null } }, last].flatMap((event) => {
      const data = JSON.stringify(event);
      return reader.read({ data, event: event.type });
    });
    expect(events.findLast((event) => "usage" in event)).toMatchObject({ usage: charged });
  });

  test("a refusal after content is charged, even if its usage has no output", () => {
    const usage = { input_tokens: 25, output_tokens: 0 };
    const block = { type: "text", text: "Partial" };
    const whole = { type: "message", role: "assistant", content: [block], stop_reason: "refusal", usage };
    const charged = { inputTokens: 25, outputTokens: 0 };
    expect(messagesWire.vendor.usage(whole)).toEqual(charged);
    const events = [
      { type: "message_start", message: { ...whole, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "refusal" }, usage: { output_tokens: 0 } },
      { type: "message_stop" },
    ];
    const reader = messagesWire.vendor.stream();
    const read = events.flatMap((event) => reader.read({ data: JSON.stringify(event), event: event.type }));
    expect(read.findLast((event) => "usage" in event)).toMatchObject({ usage: charged });
    // Frames may lack the event's name.
    for (const hasNames of [true, false]) {
      let [last, hadContent]: [SeenFrame["usage"], boolean] = [undefined, false];
      for (const event of events) {
        const bytes = hasNames ? frame(event) : Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
        const inspectedFrame = messagesPass.inspect(bytes, last, hadContent);
        last = inspectedFrame.usage ?? last;
        hadContent ||= inspectedFrame.hasContent === true;
      }
      expect(last).toEqual(charged);
    }
  });

  test("reasoning of other vendors, which this vendor would refuse, is removed", () => {
    const foreign = { wire: "content", kind: "thoughtSignature", value: "c2ln" } as const;
    const parts: readonly Part[] = [
      { kind: "reasoning", text: "a" },
      { kind: "reasoning", text: "b", signature: foreign },
      { kind: "reasoning", text: "c", signature: { wire: "messages", kind: "signature", value: "EqQB" } },
      { kind: "tool-call", id: "1", name: "f", arguments: "{}", signature: foreign },
    ];
    const whole: TextAnswer = { id: "", model: "", createdAt: 0, choices: [{ parts, finish: "stop" }] };
    const { content } = messagesWire.client.render(whole, contextFor());
    const alone = [{ type: "thinking", thinking: "a", signature: placeholderSignature }];
    const messages = [content, alone, "x"].map((messageContent) => ({ role: "assistant", content: messageContent }));
    const body = Buffer.from(JSON.stringify({ model: "m", messages, max_tokens: 9 }));
    expect(JSON.parse(runToEnd(messagesPass.upstreamBody(body, { reportUsage: true })).toString())).toEqual({
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
    const mixedBody = Buffer.from(
      JSON.stringify({ messages: [{ role: "assistant", content: [...alone, text("x")] }] }),
    );
    expect(runToEnd(messagesPass.upstreamBody(mixedBody, { reportUsage: true })).toString()).not.toContain("thinking");
    const userBody = Buffer.from(JSON.stringify({ messages: [{ role: "user", content: placeholderSignature }] }));
    expect(runToEnd(messagesPass.upstreamBody(userBody, { reportUsage: true }))).toBe(userBody);
  });

  test.each<readonly [string, JsonRecord, object]>([
    [
      "the beginning",
      { type: "message_start", message: { usage: { input_tokens: 25, output_tokens: 1 } } },
      { ...quiet, usage: { inputTokens: 25, outputTokens: 1 } },
    ],
    [
      "the final report",
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 40 } },
      { ...quiet, usage: { ...before, outputTokens: 40 } },
    ],
    [
      "text that mentions usage",
      { type: "content_block_delta", delta: { text: '"usage":{"output_tokens":9}' } },
      { ...quiet, hasContent: true },
    ],
    ["a ping", { type: "ping" }, quiet],
    ["something new", { type: "riddle", usage: { output_tokens: 9 } }, quiet],
    ["the end", { type: "message_stop" }, { ...quiet, done: true }],
    [
      "an error",
      { type: "error", error: { type: "overloaded_error", message: "no" } },
      { ...quiet, failure: { type: "failure", code: "overloaded_error", message: "no", status: 529 } },
    ],
  ])("%s is recognised with or without the name of its event", (_, body, expectedFrame) => {
    const report = body["type"] === "message_start" ? undefined : before;
    expect(messagesPass.inspect(frame(body), report)).toEqual(expectedFrame);
    expect(messagesPass.inspect(Buffer.from(`data: ${JSON.stringify(body)}\r\n\r\n`), report)).toEqual(expectedFrame);
  });

  test("usage of a complete answer is read only from its own member", () => {
    const usage = { input_tokens: 3, output_tokens: 4 };
    const content = [{ type: "tool_use", input: { usage: { output_tokens: 9 } } }];
    expect(messagesPass.usage({ content, usage })).toEqual({ inputTokens: 3, outputTokens: 4 });
    expect(messagesPass.usage({ content: [] })).toBeUndefined();
  });

  test("the first event and complete answers have the client's name of the model", () => {
    const start = frame({ type: "message_start", message: { model: "theirs", id: "m" } });
    expect(messagesPass.renameFrame(start, "mine").toString()).toBe(start.toString().replace("theirs", "mine"));
    const textFrame = frame({ type: "content_block_delta", delta: { type: "text_delta", text: '"model"' } });
    expect(messagesPass.renameFrame(textFrame, "mine")).toEqual(textFrame);
    const answer = Buffer.from('{"model":"theirs","content":[{"model":"x"}]}');
    expect(messagesPass.renameAnswer(answer, "mine").toString()).toBe('{"model":"mine","content":[{"model":"x"}]}');
  });

  test("the model's text is read from several frames", () => {
    const raw = [
      { type: "message_start", message: { content: [] } },
      { type: "content_block_start", content_block: { type: "tool_use", name: "f", input: {} } },
      { type: "content_block_delta", delta: { type: "thinking_delta", thinking: 'a "b"' } },
      { type: "content_block_delta", delta: { type: "text_delta", text: "c\n" } },
      { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: '{"x":1}' } },
      { type: "content_block_delta", delta: { type: "signature_delta", signature: "EqQB" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
    ].map((body) => messagesPass.extractRawText(frame(body)));
    expect(messagesPass.extractText(raw.join("\n"))).toBe('fa "b"c\n{"x":1}');
  });

  test("a silent stream gets heartbeats, and a broken one ends with an error", () => {
    expect(messagesPass.heartbeat).toBe('event: ping\ndata: {"type":"ping"}\n\n');
    const ended = messagesPass.failureFrame(new Failure("upstream_error"), "req_1");
    expect(ended.startsWith("event: error\ndata: ")).toBe(true);
    expect(messagesPass.inspect(Buffer.from(ended)).failure).toBeDefined();
  });
});
