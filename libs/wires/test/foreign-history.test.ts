import { describe, expect, test } from "vitest";
import { runToEnd } from "@modelgate/formats/json";
import { wires } from "../src/text/index.ts";
import { placeholderSignature } from "../src/text/hub/signatures.ts";
import type { TwoSidedWire } from "./harness.ts";
import { contextFor } from "./harness.ts";

const signed = { type: "thinking", thinking: "hm", signature: "EqQB" };
const placeholderThinking = { ...signed, signature: placeholderSignature };
const use = { type: "tool_use", id: "1", name: "f", input: {} };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "x" }] };
const userMessage = { role: "user", content: "do it" };
const thinking = { type: "enabled", budget_tokens: 2048 };
const loop = (...content: readonly object[]) => [userMessage, { role: "assistant", content }, result];
const call = { functionCall: { name: "f", args: {} } };
const signedCall = { ...call, thoughtSignature: "c2ln" };
const model = (...parts: readonly object[]) => ({ contents: [{ role: "model", parts }] });

describe("a forwarded body", () => {
  test.each<[string, TwoSidedWire, string, object, boolean]>([
    ["reasoning, to the wire's own vendor", "chat", "gpt-5", { messages: [{ reasoning_content: "hm" }] }, false],
    ["reasoning, to other vendors", "chat", "open", { messages: [{ reasoning_content: "hm" }] }, true],
    ["nothing special", "chat", "gpt-5", { messages: [{ content: "hm" }] }, true],
    [
      "a call after the vendor's own reasoning",
      "messages",
      "claude-sonnet-4-5",
      { thinking, messages: loop(signed, use) },
      true,
    ],
    [
      "a call after another vendor's reasoning",
      "messages",
      "claude-sonnet-4-5",
      { thinking, messages: loop(placeholderThinking, use) },
      false,
    ],
    ["a call without reasoning", "messages", "claude-sonnet-4-5", { thinking, messages: loop(use) }, false],
    ["the same, with thinking disabled", "messages", "claude-sonnet-4-5", { messages: loop(use) }, true],
    ["a budget, to adaptive models", "messages", "claude-opus-4-7", { thinking, messages: loop(signed, use) }, false],
    [
      "sampling settings, to adaptive models",
      "messages",
      "claude-sonnet-5",
      { temperature: 0.2, messages: [userMessage] },
      true,
    ],
    [
      "text that only resembles these members",
      "messages",
      "claude-sonnet-5",
      { messages: [{ temperature: "enabled" }] },
      true,
    ],
    [
      "adaptive thinking, and a call without reasoning",
      "messages",
      "claude-opus-4-7",
      { thinking: { type: "adaptive" }, messages: loop(use) },
      true,
    ],
    [
      "the same in an early turn",
      "messages",
      "claude-sonnet-4-5",
      { thinking, messages: [...loop(use), userMessage] },
      true,
    ],
  ])("%s: %s, %s", (_, wire, name, body, accepted) => {
    const accepts = wires[wire].pass.accepts?.(Buffer.from(JSON.stringify(body)), name);
    expect(accepts && runToEnd(accepts)).toBe(accepted);
  });
});

test.each([
  ["a signed call", "gemini-3-flash", [signedCall, call], undefined],
  ["an unsigned call", "gemini-3-flash", [{ text: "so" }, call, call], 1],
  ["the same in the other spelling", "gemini-3-flash", [{ function_call: { name: "f" } }], 0],
  ["a signature in the other spelling", "gemini-3-flash", [{ ...call, thought_signature: "c2ln" }], undefined],
  ["the same, to the newest by its alias", "gemini-flash-latest", [call], 0],
  ["the same, to older models", "gemini-2.5-flash", [call], undefined],
])("a forwarded body with %s, to %s", (_, name, parts, signedIndex) => {
  const body = { cachedContent: "c", safetySettings: [{}], ...model(...parts) };
  const fit = wires.content.pass.fit?.(Buffer.from(JSON.stringify(body)), { model: name, foreignItems: new Set() });
  const fitted = fit && runToEnd(fit);
  const thoughtSignature = "skip_thought_signature_validator";
  const signedParts = parts.map((part, index) => (index === signedIndex ? { ...part, thoughtSignature } : part));
  expect(JSON.parse(fitted?.body.toString() ?? "")).toEqual({ ...body, ...model(...signedParts) });
  expect(fitted?.dropped).toEqual([]);
});

test("a forwarded body has no empty texts of the model, which SDKs store for heartbeats", () => {
  const question = { role: "user", parts: [{ text: "" }, { text: "Hi" }] };
  const contents = [
    question,
    { role: "model", parts: [{ text: "" }] },
    { role: "model", parts: [{ text: "Hello" }, { text: "", thought: true }] },
    { role: "model", parts: [{ text: "", thoughtSignature: "c2ln" }] },
    question,
  ];
  const body = Buffer.from(JSON.stringify({ contents, labels: { a: "b" } }));
  const fit = wires.content.pass.fit?.(body, { model: "gemini-2.5-flash", foreignItems: new Set() });
  const fitted = fit && runToEnd(fit);
  expect(JSON.parse(fitted?.body.toString() ?? "")).toEqual({
    contents: [question, { role: "model", parts: [{ text: "Hello" }] }, contents[3], question],
    labels: { a: "b" },
  });
  expect(fitted?.dropped).toEqual([]);
});

test("reasoning without a signature gets a placeholder for clients of responses, which is removed again", () => {
  const parts = [{ kind: "reasoning", text: "hm" }] as const;
  const answer = { id: "", model: "", createdAt: 0, choices: [{ parts, finish: "stop" as const }] };
  const { output } = wires.responses.client.render(answer, contextFor());
  expect(output).toMatchObject([{ type: "reasoning", encrypted_content: placeholderSignature }]);
  const { request } = wires.responses.client.read({ model: "m", input: output });
  expect(request.turns).toEqual([
    { role: "assistant", parts: [expect.not.objectContaining({ signature: expect.anything() })] },
  ]);
});

test("reasoning in several pieces is one part, with the signature of the last piece", () => {
  const parts = [
    { text: "Th", thought: true },
    { text: "inking", thought: true, thoughtSignature: "c2ln" },
    { text: "more", thought: true },
  ];
  const { request } = wires.content.client.read({ contents: [{ role: "model", parts }] }, { model: "m" });
  expect(request.turns[0]?.parts).toMatchObject([
    { kind: "reasoning", text: "Thinking", signature: { value: "c2ln" } },
    { kind: "reasoning", text: "more" },
  ]);
});
