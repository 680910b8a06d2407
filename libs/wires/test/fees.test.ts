import type { TwoSidedWire } from "./harness.ts";
import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { SseDecoder } from "@modelgate/formats/sse";
import { memberAboveStandardPrice } from "../src/images/index.ts";
import { wires } from "../src/text/index.ts";
import { mediaOf, measureTypedPart } from "../src/text/params.ts";

const tool = (path: string, unit?: string) => (unit === undefined ? { path } : { path, unit });
const tokenTool = (path: string) => ({ path, costsOnlyTokens: true });

describe("charges that a request asks for in addition to tokens", () => {
  test.each<[TwoSidedWire, JsonRecord, readonly object[]]>([
    [
      "chat",
      {
        tools: [
          { type: "function", function: { name: "f" } },
          { type: "custom", custom: { name: "c" } },
        ],
      },
      [],
    ],
    ["chat", { web_search_options: {} }, [{ ...tool("web_search_options", "webSearches"), isUnreported: true }]],
    [
      "chat",
      { tools: [{ type: "web_search" }, { type: "later" }] },
      [tool("tools[0]", "webSearches"), tool("tools[1]")],
    ],
    [
      "chat",
      { tools: [{ type: "builtin_function", function: { name: "$web_search" } }] },
      [tool("tools[0]", "webSearches")],
    ],
    ["chat", { search_parameters: { mode: "auto" } }, [tool("search_parameters", "webSearches")]],
    ["chat", { search_parameters: { mode: "off" }, enable_search: false }, []],
    ["chat", { enable_search: true }, [tool("enable_search", "webSearches")]],
    [
      "chat",
      { plugins: [{ id: "web" }, { id: "file-parser" }] },
      [tool("plugins[0]", "webSearches"), tool("plugins[1]")],
    ],
    [
      "responses",
      {
        tools: [
          { type: "function", name: "f" },
          { type: "web_search_preview_2025_03_11" },
          { type: "code_interpreter", container: { type: "auto" } },
          { type: "file_search", vector_store_ids: [] },
          { type: "mcp", server_label: "s" },
          { type: "computer_use_preview" },
          { type: "local_shell" },
          { type: "tool_search" },
          { type: "shell" },
          { type: "shell", environment: { type: "container_auto" } },
          { type: "namespace", name: "n", tools: [{ type: "custom", name: "c" }, { type: "web_search" }] },
        ],
      },
      [
        tool("tools[1]", "webSearches"),
        tool("tools[2]", "codeInterpreters"),
        tool("tools[3]", "fileSearches"),
        tokenTool("tools[4]"),
        tool("tools[9]", "codeInterpreters"),
        tool("tools[10].tools[1]", "webSearches"),
      ],
    ],
    [
      "responses",
      {
        input: [
          { role: "user", content: "Hi" },
          { type: "additional_tools", tools: [{ type: "web_search" }] },
        ],
      },
      [tool("input[1].tools[0]", "webSearches")],
    ],
    [
      "responses",
      {
        tools: [
          { type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } },
          { type: "shell", environment: { type: "container_auto", memory_limit: "64g" } },
          { type: "code_interpreter", container: { type: "auto", memory_limit: "1g" } },
          { type: "code_interpreter", container: "cntr_1" },
        ],
      },
      [
        { ...tool("tools[0]", "codeInterpreters"), surchargePath: "tools[0].container.memory_limit" },
        { ...tool("tools[1]", "codeInterpreters"), surchargePath: "tools[1].environment.memory_limit" },
        tool("tools[2]", "codeInterpreters"),
        tool("tools[3]", "codeInterpreters"),
      ],
    ],
    [
      "responses",
      { tools: [{ type: "image_generation", model: "draw", quality: "high" }] },
      [{ path: "tools[0]", unit: "imageGenerations", model: "draw", surchargePath: "tools[0].quality" }],
    ],
    [
      "messages",
      {
        tools: [
          { name: "f", input_schema: {} },
          { type: "custom", name: "g" },
          { type: "bash_20250124", name: "bash" },
          { type: "text_editor_20250728", name: "edit" },
          { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
          { type: "web_search_20250305", name: "web_search", max_uses: 3 },
          { type: "web_fetch_20250910", name: "web_fetch" },
          { type: "code_execution_20250825", name: "code_execution" },
          { type: "browser_toolset_20260801", name: "browser" },
          { type: "computer_toolset_20260801", name: "computer" },
          { type: "web_search_20260318", name: "web_search" },
          { type: "code_execution_20260521", name: "code_execution" },
          { type: "advisor_20260301", name: "advisor", model: "claude-opus-5", max_uses: 2 },
        ],
        mcp_servers: [{ type: "url", url: "https://mcp.example" }],
      },
      [
        { path: "tools[5]", unit: "webSearches", maxCalls: 3 },
        tokenTool("tools[6]"),
        tool("tools[7]", "codeInterpreters"),
        { ...tool("tools[10]", "webSearches"), freeUnit: "codeInterpreters" },
        tool("tools[11]", "codeInterpreters"),
        { ...tokenTool("tools[12]"), fallback: "claude-opus-5", maxCalls: 2 },
        tokenTool("mcp_servers[0]"),
      ],
    ],
    [
      "content",
      {
        tools: [
          { functionDeclarations: [] },
          { googleSearch: {} },
          { google_search: {}, code_execution: {} },
          { urlContext: {} },
          { googleMaps: {} },
          { fileSearch: {} },
          { computerUse: {} },
        ],
      },
      [
        tool("tools[1].googleSearch", "webSearches"),
        tool("tools[2].google_search", "webSearches"),
        tokenTool("tools[2].code_execution"),
        tokenTool("tools[3].urlContext"),
        tool("tools[4].googleMaps", "webSearches"),
        tool("tools[5].fileSearch", "fileSearches"),
      ],
    ],
    ["content", { tools: { googleSearch: {} } }, [tool("tools.googleSearch", "webSearches")]],
    ["chat", { enable_search: true }, [tool("enable_search", "webSearches")]],
  ])("%s %j", (wire, body, tools) => {
    expect(wires[wire].vendor.requestedFees(body)?.tools ?? []).toEqual(tools);
  });

  test.each<[TwoSidedWire, JsonRecord, readonly string[]]>([
    ["chat", { service_tier: "priority" }, ["priority"]],
    ["chat", { service_tier: "auto" }, []],
    ["chat", { service_tier: null }, []],
    ["responses", { service_tier: "Flex" }, ["flex"]],
    ["responses", { service_tier: "default" }, ["default"]],
    ["messages", { service_tier: "standard_only" }, ["default"]],
    ["messages", { speed: "fast" }, ["fast"]],
    ["messages", { speed: "standard" }, ["default"]],
    ["messages", { inference_geo: "global", service_tier: "auto" }, []],
    ["messages", { inference_geo: "us", service_tier: "standard_only" }, ["geo-us"]],
    ["messages", { inference_geo: "us", speed: "fast" }, ["fast-geo-us"]],
    ["content", { serviceTier: "SERVICE_TIER_PRIORITY", service_tier: "flex" }, ["priority", "flex"]],
  ])("%s %j is the tier %j", (wire, body, tiers) => {
    expect((wires[wire].vendor.requestedFees(body)?.tiers ?? []).map(({ name }) => name)).toEqual(tiers);
  });
});

test("tools are limited where the client sets no limit", () => {
  const capped = (wire: "responses" | "messages", body: object) =>
    JSON.parse(wires[wire].vendor.capTools(Buffer.from(JSON.stringify(body)), 4).toString());
  expect(capped("responses", { model: "m", tools: [] })).toEqual({ model: "m", tools: [], max_tool_calls: 4 });
  expect(capped("responses", { max_tool_calls: 2 })).toEqual({ max_tool_calls: 2 });
  expect(capped("responses", { max_tool_calls: null })).toEqual({ max_tool_calls: 4 });
  const tools = [{ name: "f" }, { type: "web_search_20250305", max_uses: 9 }, { type: "web_fetch_20250910" }];
  expect(capped("messages", { tools })).toEqual({ tools: [tools[0], tools[1], { ...tools[2], max_uses: 4 }] });
  const advisor = { type: "advisor_20260301", model: "claude-opus-5" };
  const maxCalls = wires.messages.vendor.requestedFees({ tools: [advisor] })?.tools[0]?.maxCalls;
  expect(maxCalls).toBeLessThan(4);
  expect(capped("messages", { tools: [advisor] })).toEqual({ tools: [{ ...advisor, max_uses: maxCalls }] });
});

function feesIn(wire: TwoSidedWire, frames: readonly string[]) {
  const passFees = frames.map((frame) => wires[wire].pass.inspect(Buffer.from(frame)).fees);
  const reader = wires[wire].vendor.stream();
  const decoder = new SseDecoder();
  const read = frames
    .flatMap((frame) => [...decoder.push(Buffer.from(frame))])
    .flatMap((frame) => reader.read(frame))
    .map((event) => (event.type === "fees" ? event.fees : undefined));
  const definedFees = (maybeFees: typeof read) => maybeFees.filter((fees) => fees !== undefined);
  return { passed: definedFees(passFees), read: definedFees(read) };
}

const sse = (data: object, event?: string) =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

describe("charges that an answer reports in addition to tokens", () => {
  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } };
  const opened = { type: "web_search_call", id: "ws_2", action: { type: "open_page" } };
  const code = { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", code: "1" };
  const secondCode = { ...code, id: "ci_2" };
  const files = { type: "file_search_call", id: "fs_1", queries: [] };
  const image = { type: "image_generation_call", id: "ig_1", result: "AA==" };
  const response = {
    id: "resp_1",
    output: [search, opened, code, secondCode, files, image],
    service_tier: "priority",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const grounding = { webSearchQueries: ["a", "b"], groundingChunks: [{ web: {} }, { maps: {} }] };
  const piece = {
    candidates: [{ content: { parts: [{ executableCode: {} }] }, groundingMetadata: grounding, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, trafficType: "ON_DEMAND_PRIORITY" },
  };
  const used = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
  const message = {
    content: [used, { ...used, id: "srv_2", name: "bash_code_execution" }],
    usage: {
      input_tokens: 1,
      output_tokens: 1,
      service_tier: "priority",
      server_tool_use: { web_search_requests: 2, code_execution_requests: 3 },
    },
  };
  const chat = {
    choices: [{ index: 0, message: { content: "x" }, finish_reason: "stop" }],
    service_tier: "flex",
    usage: { prompt_tokens: 1, completion_tokens: 1, num_search_queries: 2 },
  };
  const calls = (...units: readonly (readonly [string, string])[]) => units.map(([unit, id]) => ({ unit, id }));
  const responseCalls = calls(
    ["webSearches", "ws_1"],
    ["codeInterpreters", "cntr_1"],
    ["codeInterpreters", "cntr_1"],
    ["fileSearches", "fs_1"],
    ["imageGenerations", "ig_1"],
  );
  const contentCalls = calls(["webSearches", "0 a"], ["webSearches", "0 b"], ["webSearches", "0 maps"]);

  test.each<[TwoSidedWire, JsonRecord, object | undefined]>([
    ["chat", chat, { counts: { webSearches: 2 }, tier: "flex" }],
    ["chat", { choices: [{}], usage: { num_sources_used: 3 } }, { counts: { webSearches: 3 } }],
    ["chat", { choices: [{}], usage: { plugins: { search: { count: 1 } } } }, { counts: { webSearches: 1 } }],
    ["chat", { usage: { prompt_tokens: 1 }, choices: [{}] }, undefined],
    ["responses", response, { calls: responseCalls, tier: "priority", tierAlias: "fast" }],
    [
      "responses",
      { output: [search], tool_usage: { web_search: { num_requests: 2 } } },
      { calls: [responseCalls[0]], counts: { webSearches: 2 } },
    ],
    [
      "responses",
      { output: [], usage: { server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 2 } } },
      { counts: { webSearches: 3 } },
    ],
    [
      "messages",
      message,
      {
        calls: calls(["webSearches", "srv_1"], ["codeInterpreters", "session"]),
        counts: { webSearches: 2, codeInterpreters: 1 },
        tier: "priority",
      },
    ],
    [
      "messages",
      { content: [], usage: { output_tokens: 1, speed: "fast", service_tier: "standard" } },
      { tier: "fast" },
    ],
    [
      "messages",
      { content: [], usage: { output_tokens: 1, inference_geo: "us", service_tier: "standard" } },
      { tier: "geo-us" },
    ],
    ["messages", { content: [], usage: { speed: "fast", inference_geo: "us" } }, { tier: "fast-geo-us" }],
    ["messages", { content: [], usage: { inference_geo: "not_available" } }, undefined],
    ["content", piece, { calls: contentCalls, tier: "priority" }],
    ["content", { candidates: [{}], usageMetadata: { promptTokenCount: 1 } }, undefined],
    [
      "content",
      { candidates: [{ groundingMetadata: { webSearchQueries: ["a", "b"] } }], modelVersion: "gemini-2.5-flash" },
      { calls: calls(["webSearches", "request"], ["webSearches", "request"]) },
    ],
    [
      "content",
      { candidates: [{ groundingMetadata: { webSearchQueries: ["a", "", "b"] } }], modelVersion: "gemini-3.8-flash" },
      { calls: calls(["webSearches", "0 a"], ["webSearches", "0 b"]) },
    ],
    [
      "content",
      { candidates: [{ groundingMetadata: { webSearchQueries: ["image a"], imageSearchQueries: ["a", "b"] } }] },
      { calls: calls(["webSearches", "0 image a"], ["webSearches", "0 image\na"], ["webSearches", "0 image\nb"]) },
    ],
    ...(["gemini-2.5-flash", "gemini-3.8-flash"] as const).map((model): [TwoSidedWire, JsonRecord, object] => [
      "interactions",
      {
        model,
        steps: [{ type: "google_search_call", id: "s", arguments: { queries: ["a", "b"] } }],
        usage: { grounding_tool_count: [{ type: "google_search", count: 2 }] },
      },
      model === "gemini-2.5-flash"
        ? { calls: calls(["webSearches", "s 0"]), counts: { webSearches: 1 } }
        : { calls: calls(["webSearches", "s 0"], ["webSearches", "s 1"]), counts: { webSearches: 2 } },
    ]),
  ])("%s, complete: %j", (wire, answer, fees) => {
    expect(wires[wire].pass.fees(answer)).toEqual(fees);
  });

  test("an advisor's calls are read after any number of the model's own runs", () => {
    const advised = { type: "advisor_message", model: "opus", input_tokens: 1, output_tokens: 2 };
    const runs = Array.from({ length: 40 }, () => ({ type: "message", input_tokens: 1, output_tokens: 1 }));
    const fees = wires.messages.pass.fees({ content: [], usage: { iterations: [...runs, advised] } });
    expect(fees?.iterations).toEqual([{ model: "opus", units: { inputTokens: 1, outputTokens: 2 } }]);
  });

  const item = (each: object) =>
    sse({ type: "response.output_item.done", output_index: 0, item: each }, "response.output_item.done");
  test.each<[TwoSidedWire, readonly string[], readonly object[]]>([
    [
      "chat",
      [sse({ choices: [{ index: 0, delta: { content: "x" } }], service_tier: "flex" }), sse({ ...chat, choices: [] })],
      [{ counts: { webSearches: 2 }, tier: "flex" }],
    ],
    [
      "responses",
      [item(search), item(opened), item(code), sse({ type: "response.completed", response }, "response.completed")],
      [
        { calls: [responseCalls[0]] },
        { calls: [responseCalls[1]] },
        { calls: responseCalls, tier: "priority", tierAlias: "fast" },
      ],
    ],
    [
      "messages",
      [
        sse({
          type: "message_start",
          message: { usage: { input_tokens: 1, output_tokens: 1, service_tier: "standard" } },
        }),
        sse({ type: "content_block_start", index: 0, content_block: used }, "content_block_start"),
        sse({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: message.usage }, "message_delta"),
      ],
      [
        { tier: "default" },
        { calls: calls(["webSearches", "srv_1"]) },
        { counts: { webSearches: 2, codeInterpreters: 1 }, tier: "priority" },
      ],
    ],
    ["content", [sse(piece)], [{ calls: contentCalls, tier: "priority" }]],
  ])("%s, streamed: the same when passed on and converted", (wire, frames, fees) => {
    const { passed, read } = feesIn(wire, frames);
    expect(passed).toEqual(fees);
    expect(read).toEqual(fees);
  });
});

test.each([
  [{ quality: "low" }, undefined],
  [{ quality: "standard", size: "1792x1024" }, undefined],
  [{ quality: "hd" }, "quality"],
  [{ quality: "high", size: "1024x1024" }, "quality"],
  [{ size: "2048x2048" }, "size"],
  [{ size: "1K" }, undefined],
  [{ size: "2K" }, "size"],
  [{ size: "4k" }, "size"],
  [{ size: "auto" }, undefined],
])("an image of %j costs more by its %s", (image, member) => {
  expect(memberAboveStandardPrice(image)).toBe(member);
});

test("an image that keeps its size is limited by the tokens of a large one", () => {
  const url = "https://pictures.example/fox.png";
  const tokens = (part: object) => {
    const { tokens: usual, more = 0 } = mediaOf([{ content: [part] }], measureTypedPart);
    return usual + more;
  };
  const low = tokens({ type: "image_url", image_url: { url, detail: "low" } });
  expect(low).toBeGreaterThanOrEqual(2_833);
  for (const part of [
    { type: "image_url", image_url: { url, detail: "high" } },
    { type: "input_image", image_url: url, detail: "high" },
    { type: "input_image", image_url: url, detail: "original" },
  ])
    expect(tokens(part)).toBeGreaterThanOrEqual(16_200);
});
