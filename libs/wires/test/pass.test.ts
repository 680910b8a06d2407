import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { runToEnd } from "@modelgate/formats/json";
import { wires as textWires } from "../src/text/index.ts";
import type { PassThroughWireName } from "../src/text/wires.ts";

const frames: Readonly<
  Record<PassThroughWireName, { readonly plain: string; readonly last: string; readonly failed: string }>
> = {
  chat: {
    plain: 'data: {"id":"c","model":"theirs","choices":[{"index":0,"delta":{"content":"say \\"usage\\""}}]}\n\n',
    last: "data: [DONE]\n\n",
    failed: 'data: {"error":{"message":"no"}}\n\n',
  },
  completions: {
    plain: 'data: {"id":"c","model":"theirs","choices":[{"index":0,"text":"words"}]}\n\n',
    last: "data: [DONE]\n\n",
    failed: 'data: {"error":{"message":"no"}}\n\n',
  },
  responses: {
    plain:
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":7,"delta":"response.completed"}\n\n',
    last: 'event: response.completed\ndata: {"type":"response.completed","sequence_number":8,"response":{"id":"r","model":"theirs","usage":{"input_tokens":3,"output_tokens":2}}}\n\n',
    failed:
      'event: response.failed\ndata: {"type":"response.failed","sequence_number":8,"response":{"status":"failed","error":{"code":"server_error","message":"no"}}}\n\n',
  },
  messages: {
    plain:
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"message_stop"}}\n\n',
    last: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    failed: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n',
  },
  content: {
    plain: 'data: {"candidates":[{"content":{"parts":[{"text":"finishReason"}]}}],"modelVersion":"theirs"}\r\n\r\n',
    last: 'data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2},"modelVersion":"theirs"}\r\n\r\n',
    failed: 'data: {"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}\r\n\r\n',
  },
  interactions: {
    plain:
      'event: step.delta\ndata: {"event_type":"step.delta","index":0,"delta":{"type":"text","text":"say \\"interaction.completed\\""}}\n\n',
    last: 'event: interaction.completed\ndata: {"event_type":"interaction.completed","interaction":{"id":"i","model":"theirs","status":"completed","usage":{"total_input_tokens":3,"total_output_tokens":2}}}\n\n',
    failed: 'event: error\ndata: {"event_type":"error","error":{"code":"unavailable","message":"no"}}\n\n',
  },
};
const wires = ["chat", "completions", "responses", "messages", "content", "interactions"] as const;
const failure = new Failure("upstream_error", "it broke");

describe.each(wires)("%s", (wire) => {
  const pass = textWires[wire].pass;
  const { plain, last, failed } = frames[wire];

  test("a frame with text is neither an end nor a failure, for any text", () => {
    expect(pass.inspect(Buffer.from(plain))).toMatchObject({ done: false, failure: undefined, usageOnly: false });
  });

  test("the last frame and a failure are recognised", () => {
    expect(pass.inspect(Buffer.from(last))).toMatchObject({ done: true, failure: undefined });
    expect(pass.inspect(Buffer.from(failed))).toMatchObject({ done: false, failure: { message: "no" } });
  });

  test("they are recognised with comments before them and data on several lines", () => {
    const strange = (frame: string): Buffer =>
      Buffer.from(`: a { comment\n${frame.replace(/data: \{/, "data: {\ndata: ")}`);
    expect(pass.inspect(strange(failed))).toMatchObject({ done: false, failure: { message: "no" } });
    expect(pass.inspect(strange(plain))).toMatchObject({ done: false, failure: undefined });
  });

  test("only the model's name is changed to the client's", () => {
    for (const frame of [plain, last]) {
      const renamed = pass.renameFrame(Buffer.from(frame), "mine").toString();
      expect(renamed).toBe(frame.replace('"theirs"', '"mine"'));
    }
  });

  test("the text of a frame is counted", () => {
    const extracted = pass.extractText(pass.extractRawText(Buffer.from(plain)));
    expect(plain.replaceAll("\\", "")).toContain(extracted);
    expect(extracted.length).toBeGreaterThan(4);
  });

  test("a failure frame of this wire is recognised by it", () => {
    const frame = pass.failureFrame(failure, "req_1", 8);
    expect(pass.inspect(Buffer.from(frame))).toMatchObject({ failure: { message: "it broke" } });
    expect(frame).toContain("it broke");
  });

  test("a heartbeat has no effect", () => {
    expect(pass.inspect(Buffer.from(pass.heartbeat))).toMatchObject({ done: false, failure: undefined });
  });

  test("any frame is read without throwing, and a frame that is not JSON is unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const frame = Buffer.from(`data: ${text}\n\n`);
        expect(() => pass.inspect(frame)).not.toThrow();
        const renamed = pass.renameFrame(frame, "mine");
        expect(renamed.equals(frame) || text.includes("{")).toBe(true);
      }),
    );
  });
});

test("usage is read from the terminal frame", () => {
  const usage = { inputTokens: 3, outputTokens: 2 };
  expect(textWires.responses.pass.inspect(Buffer.from(frames.responses.last)).usage).toEqual(usage);
  expect(textWires.content.pass.inspect(Buffer.from(frames.content.last)).usage).toEqual(usage);
});

test("the failure of a vendor's response keeps its form, code and usage", () => {
  const usage = { input_tokens: 3, output_tokens: 0 };
  const response = { id: "r", status: "failed", error: { code: "context_length_exceeded", message: "no" }, usage };
  const event = { type: "response.failed", sequence_number: 3, response };
  const frame = Buffer.from(`event: response.failed\ndata: ${JSON.stringify(event)}\n\n`);
  const { pass } = textWires.responses;
  expect(pass.inspect(frame)).toMatchObject({
    usage: { inputTokens: 3, outputTokens: 0 },
    failure: { code: "context_length_exceeded", message: "no" },
  });
  expect(pass.failureFrame(new Failure("upstream_error", "cleaned"), "req_1", 2, frame)).toBe(
    frame.toString().replace('"no"', '"cleaned"'),
  );
});

test("a broken stream of responses continues the sequence numbers", () => {
  const { sequence } = textWires.responses.pass.inspect(Buffer.from(frames.responses.plain));
  expect(sequence).toBe(7);
  expect(textWires.responses.pass.failureFrame(failure, "r", sequence)).toContain('"sequence_number":8');
});

test.each<[PassThroughWireName, string, string]>([
  ["chat", '{ "model" : "mine", "seed":12345678901234567890 }', '{ "model" : "theirs", "seed":12345678901234567890 }'],
  ["responses", '{"input":"x","model":"mine"}', '{"input":"x","model":"theirs"}'],
  ["messages", '{"model":"mine","max_tokens":1}', '{"model":"theirs","max_tokens":1}'],
  ["content", '{"contents":[]}', '{"contents":[]}'],
])("a %s request is changed only in the model's name", (wire, body, changed) => {
  const change = { model: "theirs", reportUsage: false };
  expect(runToEnd(textWires[wire].pass.upstreamBody(Buffer.from(body), change)).toString()).toBe(changed);
});
