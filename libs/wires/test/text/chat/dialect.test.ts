import { describe, expect, test } from "vitest";
import { runToEnd } from "@modelgate/formats/json";
import { chatWireForDialect, type ChatDialect } from "../../../src/text/index.ts";
import { chatUsage } from "../../../src/text/chat/usage.ts";

const user = { role: "user", content: "hi" };

function fittedBytes(dialect: ChatDialect, body: Buffer) {
  const fit = chatWireForDialect(dialect).pass?.fit?.(body, { model: "m", foreignItems: new Set() });
  return fit && runToEnd(fit);
}

/** Returns the body that a vendor with this dialect receives, and the dropped fields. */
function fitted(dialect: ChatDialect, body: object) {
  const fit = fittedBytes(dialect, Buffer.from(JSON.stringify(body)));
  return { body: JSON.parse(fit?.body.toString() ?? "null"), dropped: fit?.dropped };
}

describe("a passed request", () => {
  test.each<[string, ChatDialect, object, object, readonly string[]]>([
    ["is unchanged without differences", {}, { max_tokens: 1, seed: 2 }, { max_tokens: 1, seed: 2 }, []],
    [
      "has its output limit in the field that is read",
      { maxTokens: "max_tokens" },
      { max_completion_tokens: 7 },
      { max_tokens: 7 },
      [],
    ],
    [
      "has one output limit",
      { maxTokens: "max_tokens" },
      { max_tokens: 5, max_completion_tokens: 7 },
      { max_tokens: 5 },
      [],
    ],
    ["has members by their other names", { renames: { seed: "random_seed" } }, { seed: 3 }, { random_seed: 3 }, []],
    [
      "loses refused fields without naming those that change nothing",
      { refuses: ["n", "parallel_tool_calls", "logprobs", "seed", "presence_penalty"] },
      { n: 1, parallel_tool_calls: true, logprobs: false, seed: null, presence_penalty: 0, top_p: 1 },
      { top_p: 1 },
      [],
    ],
    [
      "loses refused fields",
      { refuses: ["seed", "user"] },
      { seed: 2, user: "u", top_p: 1 },
      { top_p: 1 },
      ["seed", "user"],
    ],
    [
      "has the vendor's value for a choice",
      { toolChoice: { required: "any" } },
      { tool_choice: "required" },
      { tool_choice: "any" },
      [],
    ],
    [
      "has empty reasoning in each of the assistant's messages that has none",
      { needsReasoning: true },
      { messages: [user, { role: "assistant", content: "a" }, { role: "assistant", reasoning_content: "t" }] },
      {
        messages: [
          user,
          { role: "assistant", content: "a", reasoning_content: "" },
          { role: "assistant", reasoning_content: "t" },
        ],
      },
      [],
    ],
    ["does not request usage", { alwaysReportsUsage: true }, { stream_options: { include_usage: true } }, {}, []],
  ])("%s", (_name, dialect, clientBody, sent, dropped) => {
    const head = { model: "m", messages: [user] };
    expect(fitted(dialect, { ...head, ...clientBody })).toEqual({ body: { ...head, ...sent }, dropped });
  });

  test.each([{ n: 2 }, { logprobs: true }])("with %j is refused, because the answer would lack a part", (member) => {
    const [name = ""] = Object.keys(member);
    expect(() => fitted({ refuses: ["n", "logprobs"] }, member)).toThrow(`does not support ${name}.`);
  });

  test("keeps every byte that the vendor supports", () => {
    const body = Buffer.from('{ "model":"m", "seed":12345678901234567890, "user" : "u", "messages":[] }');
    const fit = fittedBytes({ refuses: ["user"] }, body);
    expect(fit?.body.toString()).toBe('{ "model":"m", "seed":12345678901234567890, "messages":[] }');
  });

  test.each<[ChatDialect, object, boolean]>([
    [{}, { role: "developer", content: "x" }, true],
    [{ noDeveloper: true }, { role: "developer", content: "x" }, false],
    [{ noDeveloper: true }, user, true],
    [{ reasoningMember: "none" }, { role: "assistant", content: "x", reasoning_content: "t" }, false],
    [{ reasoningMember: "reasoning" }, { role: "assistant", content: "x", reasoning_content: "t" }, false],
    [{}, { role: "assistant", content: "x", reasoning_content: "t" }, true],
    [{ noDeveloper: true }, { role: "user", content: "x", name: "developer" }, true],
    [{ reasoningMember: "none" }, { ...user, metadata: { reasoning_content: "t" } }, true],
    [{ needsReasoning: true }, { role: "assistant", content: "x" }, true],
  ])("in %j of %j is unchanged: %s", (dialect, message, isUnchanged) => {
    const body = Buffer.from(JSON.stringify({ model: "m", messages: [message] }));
    const accepts = chatWireForDialect(dialect).pass?.accepts?.(body, "m");
    expect(accepts === undefined || runToEnd(accepts)).toBe(isUnchanged);
  });
});

describe("reasoning of a model", () => {
  const steps = { reasoning: [[/^k3/, { efforts: ["low", "high"] }]] } as const;
  const fixed = { reasoning: [[/(?:)/, { efforts: [], canStop: true }]] } as const;
  const unforced = { reasoning: [[/(?:)/, { canStop: true, refusesForcedTools: true }]] } as const;
  const [stopped, forced] = [{ thinking: { type: "disabled" } }, { tool_choice: "required" }];
  const named = { tool_choice: { type: "function", function: { name: "f" } } };
  const lost = ["reasoning"];

  test.each<[ChatDialect, object, object, readonly string[]]>([
    [steps, { reasoning_effort: "high" }, { reasoning_effort: "high" }, []],
    [steps, { reasoning_effort: "medium" }, { reasoning_effort: "high" }, lost],
    [steps, { reasoning_effort: "max" }, { reasoning_effort: "high" }, lost],
    [steps, { reasoning_effort: "none" }, { reasoning_effort: "low" }, lost],
    [steps, { reasoning_effort: "none", model: "k2" }, { reasoning_effort: "none", model: "k2" }, []],
    [fixed, { reasoning_effort: "none" }, stopped, []],
    [fixed, { reasoning_effort: "high" }, {}, lost],
    [unforced, { reasoning_effort: "none" }, stopped, []],
    [unforced, { reasoning_effort: "medium" }, { reasoning_effort: "medium" }, []],
    [unforced, { tool_choice: "auto" }, { tool_choice: "auto" }, []],
    [unforced, forced, { ...forced, ...stopped }, []],
    [unforced, { ...named, reasoning_effort: "high" }, { ...named, ...stopped }, lost],
    [unforced, { ...forced, thinking: { type: "enabled" } }, { ...forced, ...stopped }, lost],
  ])("by %j is changed from %j to %j", (dialect, members, sent, dropped) => {
    expect(fitted(dialect, { model: "k3", ...members })).toEqual({ body: { model: "k3", ...sent }, dropped });
  });
});

test("a schema for the answer becomes an instruction for vendors that refuse schemas", () => {
  const wire = chatWireForDialect({ noSchemas: true });
  const schema = { type: "object", properties: { a: {} } };
  const body = { messages: [user], response_format: { type: "json_schema", json_schema: { name: "n", schema } } };
  const accepts = wire.pass?.accepts?.(Buffer.from(JSON.stringify(body)), "m");
  expect(accepts && runToEnd(accepts)).toBe(false);
  const request = {
    model: "m",
    stream: false,
    instructions: [],
    turns: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
    format: { kind: "schema", schema },
  } as const;
  const rendered = wire.vendor?.render(request, { model: "m", defaultMaxTokens: 1 });
  expect(rendered?.body).toMatchObject({
    messages: [{ role: "system", content: expect.stringContaining(JSON.stringify(schema)) }, user],
    response_format: { type: "json_object" },
  });
  expect(rendered?.dropped).toEqual(["format"]);
});

test("a rendered request has the reasoning of all turns if the vendor needs it", () => {
  const call = { kind: "tool-call", id: "c", name: "f", arguments: "{}" } as const;
  const reasoning = { kind: "reasoning", text: "t" } as const;
  const result = { kind: "tool-result", callId: "c", parts: [] } as const;
  const request = {
    model: "m",
    stream: false,
    instructions: [],
    turns: [
      { role: "assistant", parts: [call] },
      { role: "user", parts: [result] },
      { role: "assistant", parts: [reasoning, { kind: "text", text: "a" }] },
      { role: "assistant", parts: [reasoning] },
    ],
  } as const;
  const wire = chatWireForDialect({ needsReasoning: true });
  const rendered = wire.vendor?.render(request, { model: "m", defaultMaxTokens: 1 });
  expect(rendered?.body["messages"]).toEqual([
    expect.objectContaining({ role: "assistant", content: null, reasoning_content: "" }),
    expect.objectContaining({ role: "tool" }),
    { role: "assistant", content: "a", reasoning_content: "t" },
  ]);
});

test.each<[ChatDialect, object, readonly string[]]>([
  [{}, { reasoning_content: "t" }, []],
  [{ reasoningMember: "reasoning" }, { reasoning: "t" }, []],
  [{ reasoningMember: "none" }, {}, ["turn.reasoning"]],
])("a rendered request in %j has the reasoning before a call as %j", (dialect, thoughts, dropped) => {
  const call = { kind: "tool-call", id: "c", name: "f", arguments: "{}" } as const;
  const request = {
    model: "m",
    stream: false,
    instructions: [],
    turns: [{ role: "assistant", parts: [{ kind: "reasoning", text: "t" }, call] }],
  } as const;
  const rendered = chatWireForDialect(dialect).vendor?.render(request, { model: "m", defaultMaxTokens: 1 });
  expect(rendered?.body["messages"]).toEqual([
    { role: "assistant", content: null, tool_calls: [expect.objectContaining({ id: "c" })], ...thoughts },
    { role: "tool", tool_call_id: "c", content: "no result was given" },
  ]);
  expect(rendered?.dropped).toEqual(dropped);
});

describe("usage in a dialect", () => {
  const frame = (chunk: object) => Buffer.from(`data: ${JSON.stringify({ choices: [], ...chunk })}\n\n`);
  const usage = { prompt_tokens: 3, completion_tokens: 4 };

  test("is in another member of a chunk", () => {
    const groqUsage = { x_groq: { usage } };
    expect(chatWireForDialect({ usageIn: "x_groq" }).pass?.inspect(frame(groqUsage)).usage).toEqual({
      inputTokens: 3,
      outputTokens: 4,
    });
    expect(chatWireForDialect({}).pass?.inspect(frame(groqUsage)).usage).toBeUndefined();
  });

  test.each<[ChatDialect, object, object]>([
    [
      { separateReasoning: true },
      { completion_tokens_details: { reasoning_tokens: 6 } },
      { outputTokens: 10, reasoningTokens: 6 },
    ],
    [
      { separateReasoning: true },
      { completion_tokens_details: { reasoning_tokens: 2 }, total_tokens: 7 },
      { outputTokens: 4, reasoningTokens: 2 },
    ],
    [
      {},
      { completion_tokens_details: { reasoning_tokens: 6 }, total_tokens: 13 },
      { outputTokens: 10, reasoningTokens: 6 },
    ],
    [{ cachedAt: "hits" }, { hits: 2 }, { inputTokens: 1, cachedInputTokens: 2, outputTokens: 4 }],
    [{}, { hits: 2 }, { inputTokens: 3, outputTokens: 4 }],
    [{}, { prompt_cache_hit_tokens: 2 }, { inputTokens: 1, cachedInputTokens: 2 }],
  ])("%j reads %j", (dialect, more, units) => {
    expect(chatUsage({ ...usage, ...more }, dialect)).toMatchObject(units);
  });
});
