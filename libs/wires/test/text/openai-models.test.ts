import { expect, test } from "vitest";
import { runToEnd } from "@modelgate/formats/json";
import { wires } from "../../src/text/index.ts";
import type { TextRequest } from "../../src/text/hub/request.ts";
import { text } from "../harness.ts";

type Wire = "chat" | "responses";

const rendered = (wire: Wire, model: string, fields: Partial<TextRequest>) =>
  wires[wire].vendor.render(
    { model: "m", stream: false, instructions: [], turns: [{ role: "user", parts: [text("Hi")] }], ...fields },
    { model, defaultMaxTokens: 9 },
  );

/** Returns a forwarded request as the vendor receives it. */
function forwarded(wire: Wire, model: string, body: object) {
  const target = { model, foreignItems: new Set<string>() };
  const fit = wires[wire].pass.fit?.(Buffer.from(JSON.stringify(body)), target);
  if (fit === undefined) throw new Error("the wire fits requests");
  const { body: bytes, dropped } = runToEnd(fit);
  return { body: JSON.parse(bytes.toString()), dropped };
}

test.each<[string, Wire, Partial<TextRequest>["reasoning"], string | undefined, readonly string[]]>([
  ["gpt-4.1", "chat", { effort: "low" }, undefined, ["reasoning"]],
  ["gpt-5-chat-latest", "chat", { effort: "none" }, undefined, []],
  ["o3", "chat", { effort: "max" }, "high", ["reasoning"]],
  ["gpt-5-mini", "responses", { effort: "minimal" }, "minimal", []],
  ["gpt-5-codex", "responses", { effort: "none" }, "low", ["reasoning"]],
  ["gpt-5.1-codex-mini", "responses", { effort: "none" }, "low", ["reasoning"]],
  ["gpt-5.1-codex-max", "responses", { effort: "xhigh" }, "xhigh", []],
  ["gpt-5-pro", "responses", { effort: "minimal" }, "high", ["reasoning"]],
  ["o4-mini-deep-research", "responses", { effort: "none" }, "medium", ["reasoning"]],
  ["gpt-5.1", "responses", { effort: "minimal" }, "low", ["reasoning"]],
  ["gpt-5.1", "responses", { effort: "none" }, "none", []],
  ["gpt-5.4", "responses", { effort: "max" }, "xhigh", ["reasoning"]],
  ["openai/gpt-5.6-sol", "responses", { effort: "max" }, "max", []],
  ["openai/gpt-5.6-sol", "chat", { effort: "max" }, "xhigh", ["reasoning"]],
  ["gpt-6-luna", "chat", { effort: "minimal" }, "low", ["reasoning"]],
  ["gpt-6-astra", "chat", { effort: "none" }, "low", ["reasoning"]],
  ["grok-4.3", "chat", { effort: "none" }, "none", []],
  ["x-ai/grok-4.5", "responses", { effort: "none" }, "low", ["reasoning"]],
  ["grok-4.5", "chat", { effort: "max" }, "high", ["reasoning"]],
  ["grok-4.7-fast", "chat", { effort: "max" }, "xhigh", ["reasoning"]],
  ["grok-4", "chat", { effort: "max" }, "max", []],
  ["ft:gpt-6.2-sol:us::a", "responses", { effort: "minimal" }, "low", ["reasoning"]],
  ["gpt-6.2-sol", "responses", { budgetTokens: -1 }, undefined, []],
  ["gpt-oss-120b", "chat", { effort: "max" }, "max", []],
])("%s on %s gets the effort nearest to %j: %s", (model, wire, reasoning, effort, dropped) => {
  const { body, dropped: lost } = rendered(wire, model, { reasoning });
  const renderedEffort = wire === "chat" ? body["reasoning_effort"] : Object(body["reasoning"]).effort;
  expect([renderedEffort, lost]).toEqual([effort, dropped]);
});

test.each([
  ["gpt-5", "low"],
  ["gpt-5.1", "none"],
])("without reasoning, %s gets the effort %s with a web search", (model, effort) => {
  const { body } = rendered("responses", model, {
    reasoning: { effort: "none" },
    tools: [{ kind: "web-search", wire: "messages", options: {} }],
  });
  expect(body["reasoning"]).toMatchObject({ effort });
});

const sampling = {
  temperature: 0.2,
  topP: 0.9,
  presencePenalty: 1,
  frequencyPenalty: 1,
  logitBias: { "1": 1 },
} as const;
const names = ["temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias"];

test.each<[string, Partial<TextRequest>["reasoning"], boolean]>([
  ["gpt-4.1", undefined, true],
  ["gpt-5-chat-latest", undefined, true],
  ["o3", undefined, false],
  ["gpt-5", undefined, false],
  ["gpt-5.2", undefined, true],
  ["gpt-5.2", { effort: "low" }, false],
  ["gpt-5.6", undefined, false],
  ["gpt-5.6", { effort: "none" }, true],
  ["gpt-6-astra", { effort: "none" }, false],
  ["gpt-6.2-sol", undefined, false],
  ["other", { effort: "low" }, true],
])("%s with %j accepts sampling settings: %s", (model, reasoning, isAccepted) => {
  const { body, dropped } = rendered("chat", model, { ...sampling, reasoning });
  expect(names.filter((name) => name in body)).toEqual(isAccepted ? names : []);
  expect(Object.keys(sampling).filter((field) => dropped.includes(field))).toEqual(
    isAccepted ? [] : Object.keys(sampling),
  );
  const clientBody = { logprobs: true, top_logprobs: 2, reasoning_effort: reasoning?.effort };
  for (const sentBody of [
    () => rendered("chat", model, { logProbabilities: { alternatives: 2 }, reasoning }).body,
    () => forwarded("chat", model, clientBody).body,
  ])
    if (isAccepted) expect(sentBody()).toMatchObject({ logprobs: true, top_logprobs: 2 });
    else expect(sentBody).toThrow(/does not support log/);
});

test("sampling settings that change nothing are dropped without being named", () => {
  const usual = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 };
  const { body, dropped } = rendered("chat", "gpt-6.2-sol", usual);
  expect([Object.keys(body), dropped]).toEqual([["model", "messages"], []]);
  const members = { temperature: 1, top_p: null, presence_penalty: 0, logprobs: false, top_logprobs: 0 };
  expect(forwarded("chat", "gpt-6.2-sol", { ...members, user: "u" })).toEqual({ body: { user: "u" }, dropped: [] });
});

test.each<[Wire, object]>([
  ["chat", { reasoning_effort: null }],
  ["chat", { reasoning_effort: "none" }],
  ["responses", { reasoning: null }],
  ["responses", { reasoning: { effort: "none" } }],
])("a model without reasoning loses nothing on %s by %j", (wire, body) => {
  expect(forwarded(wire, "gpt-4.1", { ...body, user: "u" })).toEqual({ body: { user: "u" }, dropped: [] });
});

test("the same rules apply to clients of the same wire", () => {
  expect(forwarded("chat", "gpt-6.2-sol", { temperature: 0.2, reasoning_effort: "none", user: "u" })).toEqual({
    body: { reasoning_effort: "low", user: "u" },
    dropped: ["temperature", "reasoning_effort"],
  });
  expect(forwarded("chat", "gpt-5.6", { temperature: 0.2, reasoning_effort: "none" }).dropped).toEqual([]);
  for (const reasoning of [{}, { summary: "auto" }, { effort: "high" }])
    expect(forwarded("responses", "gpt-4.1", { reasoning, input: "Hi" })).toEqual({
      body: { input: "Hi" },
      dropped: ["reasoning"],
    });
  expect(forwarded("responses", "gpt-6-astra", { reasoning: { effort: "none" }, input: "Hi" })).toEqual({
    body: { reasoning: { effort: "low" }, input: "Hi" },
    dropped: ["reasoning.effort"],
  });
  const body = { top_p: 0.2, reasoning: { effort: "minimal", summary: "auto" }, input: "Hi" };
  expect(forwarded("responses", "gpt-6-sol", body)).toEqual({
    body: { reasoning: { effort: "low", summary: "auto" }, input: "Hi" },
    dropped: ["top_p", "reasoning.effort"],
  });
  expect(forwarded("responses", "other", body)).toEqual({ body, dropped: [] });
  expect(forwarded("chat", "grok-4.5", { reasoning_effort: "none" }).body).toEqual({ reasoning_effort: "low" });
});

test.each<[string, object, object]>([
  ["gpt-5-mini", { max_tokens: 9, n: 1 }, { n: 1, max_completion_tokens: 9 }],
  ["ft:o4-mini:us::a", { max_tokens: 9 }, { max_completion_tokens: 9 }],
  ["gpt-6-luna", { max_completion_tokens: 9 }, { max_completion_tokens: 9 }],
  ["gpt-4.1", { max_tokens: 9 }, { max_tokens: 9 }],
  ["other", { max_tokens: 9 }, { max_tokens: 9 }],
])("%s gets the output limit %j as %j", (model, sent, fitted) => {
  expect(forwarded("chat", model, sent)).toEqual({ body: fitted, dropped: [] });
  const limit = Object.keys(rendered("chat", model, { maxTokens: 9 }).body).filter((name) => name.startsWith("max_"));
  expect(limit).toEqual([model === "gpt-4.1" || model === "other" ? "max_tokens" : "max_completion_tokens"]);
});

test("instructions become the first message for models that place them after the input", () => {
  const instructions = [text("Be brief."), text("Be kind.")];
  expect(rendered("responses", "gpt-6.2-sol", { instructions }).body).toEqual({
    model: "gpt-6.2-sol",
    store: false,
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be kind." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
    ],
  });
  expect(rendered("responses", "gpt-6-sol", { instructions }).body).toMatchObject({ instructions: "Be brief." });
});

test.each<[string, "flex" | "priority", readonly string[]]>([
  ["gpt-6.2-sol", "flex", ["service_tier"]],
  ["gpt-6.2-sol", "priority", []],
  ["gpt-5.6-sol", "flex", []],
])("%s gets the tier %s only if it has it", (model, tier, lost) => {
  // Without a tier, the vendor might choose a more expensive one.
  const tiers = lost.length > 0 ? "default" : tier;
  for (const wire of ["chat", "responses"] as const) {
    const { body, dropped } = rendered(wire, model, { serviceTier: tier });
    expect([body["service_tier"], dropped]).toEqual([tiers, lost.map(() => "serviceTier")]);
    const forwardedRequest = forwarded(wire, model, { model, service_tier: tier });
    expect([forwardedRequest.body["service_tier"], forwardedRequest.dropped]).toEqual([tiers, lost]);
  }
});
