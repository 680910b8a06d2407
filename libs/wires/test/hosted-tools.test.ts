import { describe, expect, test } from "vitest";
import { runToEnd, type JsonRecord } from "@modelgate/formats/json";
import { wires as textWires } from "../src/text/index.ts";
import type { TextWireName } from "../src/text/hub/request.ts";
import { plain } from "./harness.ts";

const target = { model: "theirs", defaultMaxTokens: 1_000 };
const look = { type: "function", name: "look", parameters: { type: "object", properties: { at: {} } }, strict: false };
const parsedRequest = (body: JsonRecord) =>
  textWires.responses.client.read({ model: "m", input: "Go", ...body }).request;
const rendered = (wire: TextWireName, body: JsonRecord, model = target.model) => {
  const { body: rendered, dropped } = textWires[wire].vendor.render(parsedRequest(body), { ...target, model });
  return { body: plain(rendered), dropped };
};

const assistantMessage = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const wires = ["chat", "messages", "content"] as const;

test.each(wires)("a conversation with a web search continues over %s, without the search's steps", (wire) => {
  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } };
  const input = [{ role: "user", content: "Q" }, search, assistantMessage("Found."), { role: "user", content: "And?" }];
  const { body, dropped } = rendered(wire, { input });
  expect(dropped).toEqual(["turn.search"]);
  const text = JSON.stringify(body);
  expect(["Q", "Found.", "And?"].every((each) => text.includes(`"${each}"`))).toBe(true);
  expect(text).not.toContain("ws_1");
  expect(rendered("responses", { input })).toMatchObject({
    body: { input: expect.arrayContaining([search]) },
    dropped: [],
  });
});

test("a conversation of the messages wire continues over other wires", () => {
  const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } };
  const searchResult = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
  const messages = [
    { role: "user", content: "Q" },
    { role: "assistant", content: [use, searchResult] },
    { role: "user", content: "And?" },
  ];
  const { request } = textWires.messages.client.read({ model: "m", max_tokens: 99, messages });
  const { body, dropped } = textWires.responses.vendor.render(request, target);
  expect(dropped).toEqual(["turn.search"]);
  expect(body["input"]).toHaveLength(2);
  expect(textWires.messages.vendor.render(request, target).body["messages"]).toMatchObject([{}, messages[1] ?? {}, {}]);
});

const step = (name: string, of: object, result: unknown) => [
  { type: `${name}_call`, id: "c_1", signature: "AA==", arguments: of },
  { type: `${name}_result`, call_id: "c_1", signature: "AA==", result },
];

test.each([...wires, "responses", "converse"] as const)(
  "a conversation in which Google's tools ran continues over %s",
  (wire) => {
    const steps = [
      { type: "user_input", content: [{ type: "text", text: "Q" }] },
      ...step("google_search", { queries: ["q"] }, [{ search_suggestions: "s" }]),
      ...step("google_maps", { queries: ["q"] }, [{ places: [] }]),
      ...step("url_context", { urls: ["https://x.example"] }, [{ status: "success", url: "https://x.example" }]),
      ...step("file_search", {}, []),
      ...step("mcp_server_tool", { a: 1 }, "r"),
      ...step("code_execution", { language: "PYTHON", code: "print(6 * 7)" }, "42"),
      { type: "model_output", content: [{ type: "text", text: "Found." }] },
      { type: "user_input", content: [{ type: "text", text: "And?" }] },
    ];
    const { request } = textWires.interactions.client.read({ model: "m", input: steps });
    const { body, dropped } = textWires[wire].vendor.render(request, target);
    expect([...dropped].toSorted()).toEqual(["turn.search", "turn.tools"]);
    const text = JSON.stringify(plain(body));
    for (const expectedText of ["Q", "print(6 * 7)", "Output of the code", "42", "Found.", "And?"])
      expect(text).toContain(expectedText);
    expect(text).not.toContain("c_1");
    const same = textWires.interactions.vendor.render(request, target);
    expect([same.body["input"], same.dropped]).toEqual([steps, []]);
  },
);

test.each(["chat", "messages", "interactions"] as const)(
  "a conversation of the content wire continues over %s",
  (wire) => {
    const parts = [
      { toolCall: { toolType: "GOOGLE_SEARCH_WEB", id: "t" } },
      { toolResponse: { toolType: "GOOGLE_SEARCH_WEB", id: "t" } },
      { executableCode: { language: "PYTHON", code: "print(6 * 7)" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "42" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK" } },
      { text: "Found." },
    ];
    const contents = [
      { role: "user", parts: [{ text: "Q" }] },
      { role: "model", parts },
      { role: "user", parts: [{ text: "And?" }] },
    ];
    const { request } = textWires.content.client.read({ contents }, { model: "m", stream: false });
    const { body, dropped } = textWires[wire].vendor.render(request, target);
    expect([...dropped].toSorted()).toEqual(["turn.search", "turn.tools"]);
    const text = JSON.stringify(plain(body));
    for (const expectedText of ["print(6 * 7)", "42", "Found."]) expect(text).toContain(expectedText);
  },
);

test.each(["chat", "messages", "content", "interactions", "converse"] as const)(
  "a conversation in which OpenAI's tools ran continues over %s",
  (wire) => {
    const logs = { type: "logs", logs: "42" };
    const code = { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", status: "completed" };
    const server = { server_label: "s" };
    const items = [
      { ...code, code: "print(6 * 7)", outputs: [logs, { type: "image", url: "https://x.example/i.png" }] },
      { ...code, code: null, outputs: null },
      { type: "mcp_list_tools", id: "mcpl_1", ...server, tools: [] },
      { type: "mcp_approval_request", id: "mcpr_1", ...server, name: "roll", arguments: "{}" },
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
      { type: "mcp_call", id: "mcp_1", ...server, name: "roll", arguments: '{"sides":6}', output: "a four" },
    ];
    const input = [
      { role: "user", content: "Q" },
      ...items,
      assistantMessage("Found."),
      { role: "user", content: "And?" },
    ];
    const { body, dropped } = rendered(wire, { input });
    expect(dropped).toEqual(["turn.tools"]);
    const text = JSON.stringify(body);
    for (const expectedText of [
      "print(6 * 7)",
      "Output of the code",
      "42",
      "tool roll",
      "sides",
      "a four",
      "Found.",
      "And?",
    ])
      expect(text).toContain(expectedText);
    expect(text).not.toMatch(/(?:ci|mcpl|mcpr|mcp|cntr)_1/);
    expect(rendered("responses", { input })).toMatchObject({
      body: { input: expect.arrayContaining(items) },
      dropped: [],
    });
  },
);

test.each(["chat", "responses", "content", "interactions"] as const)(
  "a conversation in which Anthropic's tools ran continues over %s",
  (wire) => {
    const ran = (name: string, input: object, content: object) => [
      { type: "server_tool_use", id: "srvtoolu_1", name, input },
      { type: `${name}_tool_result`, tool_use_id: "srvtoolu_1", content },
    ];
    const printed = (type: string, stdout: string, stderr: string) => ({
      type,
      stdout,
      stderr,
      return_code: 0,
      content: [],
    });
    const blocks = [
      ...ran("code_execution", { code: "print(6 * 7)" }, printed("code_execution_result", "42", "")),
      ...ran("bash_code_execution", { command: "ls -l" }, printed("bash_code_execution_result", "a.txt", "denied")),
      ...ran("text_editor_code_execution", { command: "view", path: "a.txt" }, { error_code: "unavailable" }),
      ...ran("web_fetch", { url: "https://x.example" }, { type: "web_fetch_result", url: "https://x.example" }),
      { type: "mcp_tool_use", id: "mcptoolu_1", name: "roll", server_name: "s", input: { sides: 6 } },
      { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", content: [{ type: "text", text: "a four" }] },
      { type: "text", text: "Found." },
    ];
    const messages = [
      { role: "user", content: "Q" },
      { role: "assistant", content: blocks },
      { role: "user", content: "And?" },
    ];
    const { request } = textWires.messages.client.read({ model: "m", max_tokens: 99, messages });
    const { body, dropped } = textWires[wire].vendor.render(request, target);
    expect([...dropped].toSorted()).toEqual(["turn.search", "turn.tools"]);
    const text = JSON.stringify(plain(body));
    for (const expectedText of [
      "print(6 * 7)",
      "42",
      "ls -l",
      "a.txt",
      "denied",
      "tool roll",
      "sides",
      "a four",
      "Found.",
    ])
      expect(text).toContain(expectedText);
    expect(text).not.toMatch(/toolu_1|x\.example/);
    expect(textWires.messages.vendor.render(request, target).body["messages"]).toMatchObject([
      {},
      { content: blocks },
      {},
    ]);
  },
);

test.each(wires)("a tool search is not sent over %s: the model gets all tools", (wire) => {
  const { body, dropped } = rendered(wire, { tools: [{ type: "tool_search" }, { ...look, defer_loading: true }] });
  expect(dropped).toEqual(["tools.tool-search"]);
  expect(JSON.stringify(body)).toContain('"look"');
});

test.each(["local_shell", "shell", "apply_patch", "code_interpreter"])("%s is refused on other wires", (type) => {
  expect(() => rendered("chat", { tools: [{ type }] })).toThrow(type);
});

test.each(["chat", "responses", "content", "converse"] as const)(
  "a web fetch and MCP servers of Anthropic are left out over %s",
  (wire) => {
    const tools = [
      { type: "web_fetch_20250910", name: "web_fetch" },
      { type: "mcp_toolset", mcp_server_name: "s" },
    ];
    const messages = [{ role: "user", content: "Q" }];
    const servers = { mcp_servers: [{ type: "url", name: "s", url: "https://a.test" }] };
    const read = textWires.messages.client.read({ model: "m", max_tokens: 99, messages, tools, ...servers });
    expect(read.dropped).toEqual(["mcp_servers"]);
    const { body, dropped } = textWires[wire].vendor.render(read.request, target);
    expect(dropped).toEqual(["tools.web-fetch", "tools.mcp"]);
    expect(plain(body)).not.toHaveProperty("tools");
  },
);

test.each(["chat", "messages", "content", "converse"] as const)(
  "an MCP server of OpenAI is left out over %s",
  (wire) => {
    const { body, dropped } = rendered(wire, { tools: [{ type: "mcp", server_label: "s" }] });
    expect(dropped).toContain("tools.mcp");
    expect(body).not.toHaveProperty("tools");
  },
);

test("a tool that the client forces is refused where it would be left out", () => {
  const tools = [{ name: "look" }, { type: "code_execution_20250825", name: "code_execution" }];
  const read = (name: string) =>
    textWires.messages.client.read({
      model: "m",
      max_tokens: 99,
      messages: [{ role: "user", content: "Q" }],
      tools,
      tool_choice: { type: "tool", name },
    }).request;
  expect(() => textWires.chat.vendor.render(read("code_execution"), target)).toThrow("code_execution");
  expect(textWires.chat.vendor.render(read("look"), target).dropped).toEqual(["tools.code-execution"]);
});

test.each([
  ["claude-opus-4-5@20251101", false, ["tools[0]", "mcp_servers[0]"], {}],
  ["claude-opus-4-5", true, [], { mcp_servers: [{ type: "url" }] }],
])("a request to %s (Anthropic: %s) lacks %j of MCP", (model, isAnthropic, dropped, remaining) => {
  const body = { model: "m", tools: [{ type: "mcp_toolset", mcp_server_name: "s" }], mcp_servers: [{ type: "url" }] };
  const fit = textWires.messages.pass.fit?.(Buffer.from(JSON.stringify(body)), {
    model,
    isAnthropic,
    foreignItems: new Set(),
  });
  const fitted = fit && runToEnd(fit);
  expect(fitted?.dropped).toEqual(dropped);
  const { mcp_servers } = JSON.parse(String(fitted?.body));
  expect({ mcp_servers }).toEqual({ mcp_servers: undefined, ...remaining });
});

describe.each([
  ["anthropic.claude-opus-4-5-20251101-v1:0", false, [0, 2, 3]],
  ["claude-opus-4-5@20251101", false, [0, 3]],
  ["claude-opus-4-5", true, []],
])("a request to %s (Anthropic: %s) lacks the tools %j", (model, isAnthropic, lost) => {
  const tools = [
    { type: "web_fetch_20250910", name: "web_fetch" },
    { name: "look", input_schema: { type: "object" } },
    { type: "web_search_20250305", name: "web_search" },
    { type: "advisor_20260301", name: "advisor", model: "opus" },
  ];
  const remaining = tools.filter((_, at) => !lost.includes(at));
  const messages = [{ role: "user", content: "Q" }];

  test("if it is forwarded", () => {
    const body = Buffer.from(JSON.stringify({ model: "m", tools }));
    const fit = textWires.messages.pass.fit?.(body, { model, isAnthropic, foreignItems: new Set() });
    const fitted = fit && runToEnd(fit);
    expect(fitted?.dropped).toEqual(lost.map((at) => `tools[${at}]`));
    expect(JSON.parse(String(fitted?.body)).tools).toEqual(remaining);
  });

  test("if it is converted", () => {
    const { request } = textWires.messages.client.read({ model: "m", max_tokens: 99, messages, tools });
    const { body, dropped } = textWires.messages.vendor.render(request, { ...target, model, isAnthropic });
    expect(plain(body)).toMatchObject({ tools: remaining });
    expect(dropped).toHaveLength(lost.length);
  });
});

test.each([
  [false, [{ type: "text", text: "Be kind." }]],
  [
    true,
    [
      { type: "text", text: "x-anthropic-billing-header: cch=1;" },
      { type: "text", text: "Be kind." },
    ],
  ],
])("a forwarded request has the billing line of Claude Code only for Anthropic (%s)", (isAnthropic, system) => {
  const texts = ["x-anthropic-billing-header: cch=1;", "Be kind."].map((text) => ({ type: "text", text }));
  const body = Buffer.from(JSON.stringify({ model: "m", system: texts }));
  const fit = textWires.messages.pass.fit?.(body, { model: "glm-5", isAnthropic, foreignItems: new Set() });
  expect(JSON.parse(String((fit && runToEnd(fit))?.body)).system).toEqual(system);
});

describe("tools of Google", () => {
  const contents = [{ role: "user", parts: [{ text: "Q" }] }];
  const content = (tools: JsonRecord[]) => textWires.content.client.read({ contents, tools }, { model: "m" }).request;
  const interaction = (tools: JsonRecord[]) =>
    textWires.interactions.client.read({ model: "m", input: "Q", tools }).request;

  test.each(["chat", "responses", "messages", "converse"] as const)(
    "are left out over %s, because the model can answer without them",
    (wire) => {
      for (const request of [
        content([{ googleMaps: {} }, { urlContext: {} }, { codeExecution: {} }]),
        interaction([{ type: "google_maps" }, { type: "url_context" }, { type: "code_execution" }]),
      ]) {
        const { body, dropped } = textWires[wire].vendor.render(request, target);
        expect([...dropped].toSorted()).toEqual(["tools.code-execution", "tools.google-maps", "tools.url-context"]);
        expect(plain(body)).not.toHaveProperty("tools");
      }
    },
  );

  test("are the same on both of Google's wires", () => {
    const types = ["google_maps", "url_context", "code_execution"].map((type) => ({ type }));
    const entries = [{ googleMaps: {} }, { urlContext: {} }, { codeExecution: {} }];
    const { body, dropped } = textWires.interactions.vendor.render(content(entries), target);
    expect([plain(body)["tools"], dropped]).toEqual([types, []]);
    const back = textWires.content.vendor.render(interaction(types), target);
    expect([plain(back.body)["tools"], back.dropped]).toEqual([entries, []]);
    const options = textWires.content.vendor.render(interaction([{ type: "google_maps", latitude: 1 }]), target);
    expect(options.dropped).toEqual(["tools.options"]);
  });
});

/** Coding agents send the vendor's web search with every request, even if another vendor serves the request. */
describe("a web search", () => {
  const versions = ["web_search", "web_search_preview", "web_search_2025_08_26", "web_search_preview_2025_03_11"];

  test.each(versions)("of the version %s is unchanged on its wire, and becomes a web search on others", (type) => {
    const body = { tools: [{ type, search_context_size: "low" }] };
    expect(rendered("responses", body)).toMatchObject({ body, dropped: [] });
    expect(rendered("messages", body).body).toMatchObject({ tools: [{ name: "web_search" }] });
    expect(rendered("content", body).body).toMatchObject({ tools: [{ googleSearch: {} }] });
  });

  test.each(["gpt-5.1", "deepseek-chat"])("is not sent to %s, which would refuse it", (model) => {
    const { body, dropped } = rendered("chat", { tools: [look, { type: "web_search" }] }, model);
    expect(body).toMatchObject({ tools: [{ function: { name: "look" } }] });
    expect(body).not.toHaveProperty("web_search_options");
    expect(dropped).toEqual(["tools.web-search"]);
  });

  test.each(["messages", "content", "interactions", "chat"] as const)(
    "in stored pages only is not sent over %s, where it would search the live web",
    (wire) => {
      const offline = { type: "web_search", external_web_access: false };
      const { body, dropped } = rendered(wire, { tools: [offline] }, "sonar");
      expect([body["tools"], body["web_search_options"], dropped]).toEqual([
        undefined,
        undefined,
        ["tools.web-search"],
      ]);
      expect(() => rendered(wire, { tools: [offline], tool_choice: { type: "web_search" } })).toThrow("web_search");
      const live = rendered(wire, { tools: [{ ...offline, external_web_access: true }] }, "sonar");
      expect(live.body["tools"] ?? live.body["web_search_options"]).toBeDefined();
    },
  );

  test("is not sent over Converse, which has none", () => {
    const { body, dropped } = rendered("converse", { tools: [look, { type: "web_search" }] });
    expect([body["toolConfig"], dropped]).toMatchObject([{ tools: [{ toolSpec: {} }] }, ["tools.web-search"]]);
    const forced = { tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } };
    expect(() => rendered("converse", forced)).toThrow("web_search");
  });

  test("is dropped for functions where the vendor supports only one of them", () => {
    const { body, dropped } = rendered("content", { tools: [look, { type: "web_search" }], tool_choice: "auto" });
    expect(body["tools"]).toMatchObject([{ functionDeclarations: [{ name: "look" }] }]);
    expect(body["tools"]).toHaveLength(1);
    expect(dropped).toEqual(["tools.web-search"]);
  });

  test("a hosted tool without functions is requested without a toolConfig", () => {
    const { body, dropped } = rendered("content", { tools: [{ type: "web_search" }], tool_choice: "auto" });
    expect(body).not.toHaveProperty("toolConfig");
    expect(dropped).toEqual(["toolChoice"]);
  });
});
