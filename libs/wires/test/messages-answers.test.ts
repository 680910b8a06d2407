import { expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import type { TextAnswer } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import { messagesWire } from "../src/text/messages/index.ts";
import { messagesUsage } from "../src/text/messages/usage.ts";
import { contextFor, renders, text } from "./harness.ts";

const target = { model: "theirs", defaultMaxTokens: 1000 };
const parse = (body: JsonRecord) => messagesWire.client.read({ model: "m", max_tokens: 9, messages: [], ...body });
const render = renders(messagesWire, target);

test("another vendor's citation is sent to the client, and not to a vendor of this wire", () => {
  const part: Part = { ...text("It rains."), citations: [{ url: "https://w.example", title: "W", citedText: "rain" }] };
  const whole: TextAnswer = { id: "", model: "", createdAt: 0, choices: [{ parts: [part], finish: "stop" }] };
  const { content } = messagesWire.client.render(whole, contextFor());
  expect(content).toMatchObject([{ citations: [{ type: "web_search_result_location", url: "https://w.example" }] }]);
  const { turns } = parse({ messages: [{ role: "assistant", content }] }).request;
  expect(turns).toEqual([{ role: "assistant", parts: [part] }]);
  expect(JSON.stringify(render({ turns }).body)).not.toContain("w.example");
});

test.each([
  ["no content", {}],
  ["an error", { type: "error", error: { message: "no" } }],
  ["a broken block", { content: [{ type: "text" }] }],
])("an answer with %s is the vendor's error", (_, body) => {
  expect(() => messagesWire.vendor.parse(body)).toThrow(expect.objectContaining({ code: "upstream_error" }));
});

test.each([
  [
    { stop_reason: "stop_sequence", stop_sequence: "END" },
    { finish: "stop-sequence", stopSequence: "END" },
  ],
  [{ stop_reason: "max_tokens" }, { finish: "length" }],
  [{ stop_reason: "riddle" }, { finish: "stop" }],
  [{ stop_reason: "constructor" }, { finish: "stop" }],
])("%j ends as %j", (body, choice) => {
  expect(messagesWire.vendor.parse({ content: [], ...body }).choices).toEqual([{ parts: [], ...choice }]);
});

test.each([
  [
    { input_tokens: 25, cache_read_input_tokens: 1024, cache_creation_input_tokens: 200, output_tokens: 40 },
    undefined,
    { inputTokens: 25, cachedInputTokens: 1024, cacheWriteTokens: 200, outputTokens: 40 },
  ],
  [
    { input_tokens: 25, output_tokens: 40, output_tokens_details: { thinking_tokens: 12 } },
    undefined,
    { inputTokens: 25, outputTokens: 40, reasoningTokens: 12 },
  ],
  [
    {
      input_tokens: 1,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
      output_tokens: 0,
    },
    undefined,
    { inputTokens: 1, cacheWriteTokens: 2, cacheWrite1hTokens: 3, outputTokens: 0 },
  ],
  [
    {
      input_tokens: 1,
      cache_creation_input_tokens: 200,
      cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 150 },
      output_tokens: 1,
    },
    undefined,
    { inputTokens: 1, cacheWriteTokens: 50, cacheWrite1hTokens: 150, outputTokens: 1 },
  ],
  // The last event repeats only the sum of the cache tokens.
  [
    { input_tokens: 1, cache_creation_input_tokens: 200, output_tokens: 40 },
    { inputTokens: 1, cacheWriteTokens: 50, cacheWrite1hTokens: 150, outputTokens: 1 },
    { inputTokens: 1, cacheWriteTokens: 50, cacheWrite1hTokens: 150, outputTokens: 40 },
  ],
  [
    { output_tokens: 40 },
    { inputTokens: 25, cachedInputTokens: 9, outputTokens: 1 },
    { inputTokens: 25, cachedInputTokens: 9, outputTokens: 40 },
  ],
  [
    { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 40 },
    { inputTokens: 25, outputTokens: 1 },
    { inputTokens: 25, outputTokens: 40 },
  ],
  [
    { input_tokens: 30, output_tokens: 40 },
    { inputTokens: 0, cachedInputTokens: 9, outputTokens: 0 },
    { inputTokens: 30, cachedInputTokens: 9, outputTokens: 40 },
  ],
  [{ input_tokens: -1, output_tokens: "4" }, undefined, undefined],
  [null, { inputTokens: 1 }, undefined],
])("usage %j after %j", (usage, before, units) => {
  expect(messagesUsage(usage, before)).toEqual(units);
});
