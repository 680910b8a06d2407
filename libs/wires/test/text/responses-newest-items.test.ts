import { expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { wires } from "../../src/text/index.ts";

function rendered(
  body: JsonRecord,
  to: "chat" | "messages" | "content" | "interactions" | "converse" | "responses",
  model = "m",
) {
  const { request, dropped } = wires.responses.client.read({ model: "m", ...body });
  const sent = wires[to].vendor.render(request, { model, defaultMaxTokens: 9_000 });
  return { body: sent.body, dropped: [...dropped, ...sent.dropped] };
}

const user = (text: string) => ({ type: "message", role: "user", content: text });
const schema = { type: "object", properties: {} };
const format = { type: "json_schema", name: "answer", schema };

test("the last configuration_update sets effort and format", () => {
  const update = (more: object) => ({ type: "configuration_update", id: "cu_1", ...more });
  const input = [
    user("Hi"),
    update({ reasoning: { effort: "high" }, text: { format } }),
    user("Go"),
    update({ reasoning: { effort: "low" } }),
  ];
  const body = { input, reasoning: { effort: "medium" }, text: { verbosity: "low" } };
  expect(rendered(body, "chat")).toMatchObject({
    body: { reasoning_effort: "low", verbosity: "low", response_format: { type: "json_schema" } },
    dropped: [],
  });
  expect(rendered({ input }, "messages").body).toMatchObject({
    thinking: { type: "enabled", budget_tokens: 2048 },
    messages: [{ role: "user", content: [{ text: "Hi" }, { text: "Go" }] }],
  });
});

test.each([
  [
    "content",
    "gemini-3-flash",
    {
      generationConfig: { thinkingConfig: { thinkingLevel: "LOW" }, responseJsonSchema: schema },
      contents: [{ role: "user", parts: [{ text: "Hi" }, { text: "Go" }] }],
    },
  ],
  [
    "interactions",
    "gemini-3-flash",
    { generation_config: { thinking_level: "low" }, response_format: { mime_type: "application/json", schema } },
  ],
  [
    "converse",
    "anthropic.claude-opus-5-v1:0",
    {
      additionalModelRequestFields: { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
      outputConfig: { textFormat: { structure: { jsonSchema: { schema: JSON.stringify(schema), name: "answer" } } } },
      messages: [{ role: "user", content: [{ text: "Hi" }, { text: "Go" }] }],
    },
  ],
  ["responses", "gpt-6-sol", { reasoning: { effort: "low" }, text: { format } }],
] as const)("configuration_update reaches %s", (to, model, body) => {
  const update = { type: "configuration_update", reasoning: { effort: "low" }, text: { format } };
  const sent = rendered({ input: [user("Hi"), update, user("Go")], reasoning: { effort: "high" } }, to, model);
  expect(sent.body).toMatchObject(body);
  expect(JSON.stringify(sent.body)).not.toContain("configuration_update");
});

test("additional_tools become tools of the request", () => {
  const tool = (name: string) => ({ type: "function", name, parameters: schema });
  const added = { type: "additional_tools", role: "developer", id: "at_1", tools: [tool("g")] };
  const { body, dropped } = rendered({ input: [user("Hi"), added], tools: [tool("f")] }, "messages");
  expect([body["tools"], dropped]).toEqual([["f", "g"].map((name) => ({ name, input_schema: schema })), []]);
});

test("steps of programs are dropped and named; their calls stay with their results", () => {
  const input = [
    user("Hi"),
    { type: "program", id: "p_1", call_id: "c_1", code: "f()" },
    {
      type: "function_call",
      call_id: "c_2",
      name: "f",
      arguments: "{}",
      caller: { type: "program", caller_id: "c_1" },
    },
    { type: "function_call_output", call_id: "c_2", output: "4" },
    { type: "program_output", id: "po_1", call_id: "c_1", result: "4" },
  ];
  const tools = [{ type: "programmatic_tool_calling" }, { type: "function", name: "f", parameters: schema }];
  const { body, dropped } = rendered({ input, tools }, "chat");
  expect(body).toMatchObject({
    messages: [{ role: "user" }, { role: "assistant", tool_calls: [{ id: "c_2" }] }, { role: "tool", content: "4" }],
    tools: [{ function: { name: "f" } }],
  });
  expect(dropped).toEqual(expect.arrayContaining(["turn.program", "tools.programs"]));
});

test("an output without a call becomes user text", () => {
  const output = { type: "function_call_output", name: "watch", namespace: "files", output: "changed" };
  expect(rendered({ input: [user("Hi"), output] }, "chat").body).toMatchObject({
    messages: [
      { role: "user" },
      {
        role: "user",
        content: [{ text: expect.stringMatching(/^Output of the tool .*watch:$/) }, { text: "changed" }],
      },
    ],
  });
  expect(() => rendered({ input: [{ type: "function_call_output", output: "" }] }, "chat")).toThrow("call_id");
});
