import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Part } from "../src/text/hub/part.ts";
import type { TextRequest } from "../src/text/hub/request.ts";
import { messagesWire } from "../src/text/messages/index.ts";
import { placeholderSignature } from "../src/text/hub/signatures.ts";
import { text } from "./harness.ts";

const parse = (body: JsonRecord) => messagesWire.client.read({ model: "m", max_tokens: 9, messages: [], ...body });

describe("valid requests", () => {
  test.each<readonly [string, JsonRecord, Partial<TextRequest>]>([
    [
      "thinking without a budget",
      { thinking: { type: "adaptive" } },
      { reasoning: { budgetTokens: -1, show: "summary" } },
    ],
    [
      "an effort with hidden thinking",
      { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "high" } },
      { reasoning: { effort: "high", show: "none" } },
    ],
    ["only an effort", { output_config: { effort: "max" } }, { reasoning: { effort: "max" } }],
    ["no thinking", { thinking: { type: "disabled" } }, { reasoning: { effort: "none" } }],
    ["a named tool", { tool_choice: { type: "tool", name: "f" } }, { toolChoice: { mode: "required", names: ["f"] } }],
    [
      "several tools at once",
      { tool_choice: { type: "any", disable_parallel_tool_use: false } },
      { toolChoice: { mode: "required" } },
    ],
    [
      "a tool without arguments",
      { tools: [{ name: "f", type: "custom", input_schema: { type: "object" } }] },
      { tools: [{ kind: "function", name: "f" }] },
    ],
    [
      "another search",
      { tools: [{ type: "web_search_20260209", name: "web_search", max_uses: 1 }] },
      {
        tools: [
          {
            kind: "web-search",
            wire: "messages",
            options: { type: "web_search_20260209", max_uses: 1 },
            commonOptions: { maxUses: 1 },
          },
        ],
      },
    ],
    ["a tier", { service_tier: "standard_only" }, { serviceTier: "default" }],
    [
      "instructions as blocks",
      { system: [{ type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "5m" } }] },
      { instructions: [{ kind: "text", text: "s", cache: { lifetime: "5m" } }] },
    ],
    [
      "instructions as messages",
      {
        messages: [
          { role: "system", content: "a" },
          { role: "user", content: "b" },
          { role: "system", content: "c" },
        ],
      },
      {
        instructions: [{ kind: "text", text: "a" }],
        turns: [
          { role: "user", parts: [text("b")] },
          { role: "system", parts: [text("c")] },
        ],
      },
    ],
  ])("%s", (_, body, fields) => {
    const { request, dropped } = parse(body);
    expect(request).toEqual({ model: "m", maxTokens: 9, stream: false, instructions: [], turns: [], ...fields });
    expect(dropped).toEqual([]);
  });

  test.each<readonly [string, JsonRecord, readonly Part[]]>([
    [
      "a document as plain text",
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "words" },
        citations: { enabled: false },
      },
      [{ kind: "file", source: { kind: "text", text: "words" } }],
    ],
    [
      "a document of blocks",
      {
        type: "document",
        title: "T",
        source: {
          type: "content",
          content: [
            { type: "text", text: "a" },
            { type: "image", source: { type: "url", url: "https://p.example/1" } },
            { type: "text", text: "b" },
          ],
        },
      },
      [
        { kind: "file", source: { kind: "text", text: "a\n\nb" }, title: "T" },
        { kind: "image", source: { kind: "url", url: "https://p.example/1" } },
      ],
    ],
    [
      "a document of one text",
      { type: "document", source: { type: "content", content: "a" } },
      [{ kind: "file", source: { kind: "text", text: "a" } }],
    ],
    [
      "a failed tool's result with search results",
      {
        type: "tool_result",
        tool_use_id: "t",
        is_error: true,
        content: [{ type: "search_result", title: "T", source: "S", content: [{ type: "text", text: "x" }] }],
      },
      [{ kind: "tool-result", callId: "t", parts: [text("T\n\nS\n\nx")], isError: true }],
    ],
    [
      "thinking without a signature",
      { type: "thinking", thinking: "hm", signature: placeholderSignature },
      [{ kind: "reasoning", text: "hm" }],
    ],
    [
      "a block of the vendor",
      { type: "mcp_tool_use", id: "1" },
      [{ kind: "vendor", wire: "messages", value: { type: "mcp_tool_use", id: "1" } }],
    ],
    [
      "a block named like a member of every object",
      { type: "constructor" },
      [{ kind: "vendor", wire: "messages", value: { type: "constructor" } }],
    ],
  ])("%s", (_, block, parts) => {
    const { request, dropped } = parse({ messages: [{ role: "user", content: [block] }] });
    expect(request.turns).toEqual([{ role: "user", parts }]);
    expect(dropped).toEqual([]);
  });
});

test("the billing line of Claude Code is not an instruction", () => {
  const system = ["x-anthropic-billing-header: cc_version=2; cch=00000;", "Be kind."].map((text) => ({
    type: "text",
    text,
  }));
  const { request, dropped } = parse({ system });
  expect(request.instructions).toEqual([{ kind: "text", text: "Be kind." }]);
  expect(dropped).toEqual([]);
});

describe("invalid requests", () => {
  const userBody = (block: JsonRecord): JsonRecord => ({ messages: [{ role: "user", content: [block] }] });
  test.each<readonly [string, JsonRecord, string, string]>([
    ["no output limit", { max_tokens: null }, "missing_required_parameter", "max_tokens"],
    ["an invalid output limit", { max_tokens: -1 }, "invalid_value", "max_tokens"],
    ["no messages", { messages: null }, "missing_required_parameter", "messages"],
    ["no model", { model: null }, "missing_required_parameter", "model"],
    ["a container", { container: "c" }, "unsupported_parameter", "container"],
    ["the vendor's classifier of tool calls", { safeguards: [{}] }, "unsupported_parameter", "safeguards"],
    ["a summary instead of an answer", { compaction: { type: "summarize" } }, "unsupported_parameter", "compaction"],
    ["an invalid role", { messages: [{ role: "judge", content: "" }] }, "invalid_value", "messages[0].role"],
    [
      "an image as an instruction",
      { system: [{ type: "image", source: { type: "url", url: "u" } }] },
      "invalid_value",
      "system",
    ],
    ["an invalid text", userBody({ type: "text", text: 3 }), "invalid_value", "messages[0].content[0].text"],
    ["a block without a type", userBody({ text: "x" }), "missing_required_parameter", "messages[0].content[0].type"],
    ["an image without a source", userBody({ type: "image" }), "invalid_value", "messages[0].content[0].source"],
    [
      "an unknown source",
      userBody({ type: "image", source: { type: "smell" } }),
      "invalid_value",
      "messages[0].content[0].source.type",
    ],
    [
      "a call without id",
      userBody({ type: "tool_use", name: "f" }),
      "missing_required_parameter",
      "messages[0].content[0].id",
    ],
    [
      "a tool in a result",
      userBody({ type: "tool_result", tool_use_id: "t", content: [{ type: "tool_reference" }] }),
      "invalid_value",
      "messages[0].content[0].content",
    ],
    ["an invalid effort", { output_config: { effort: "some" } }, "invalid_value", "output_config.effort"],
    ["an unknown format", { output_config: { format: { type: "xml" } } }, "invalid_value", "output_config.format.type"],
    ["an invalid choice", { tool_choice: { type: "perhaps" } }, "invalid_value", "tool_choice.type"],
    [
      "an invalid cache setting",
      { system: [{ type: "text", text: "s", cache_control: { ttl: "9m" } }] },
      "invalid_value",
      "system[0].cache_control.ttl",
    ],
  ])("%s", (_, body, code, param) => {
    expect(() => parse(body)).toThrow(expect.objectContaining({ code, param }));
  });

  test.each<readonly [JsonRecord, readonly string[]]>([
    [{ speed: "fast" }, ["speed"]],
    [{ metadata: { user_id: "u", team: "t" } }, ["metadata.team"]],
    [{ thinking: { type: "disabled" }, output_config: { effort: "high" } }, ["output_config.effort"]],
    [
      userBody({ type: "tool_use", id: "1", name: "f", input: {}, cache_control: {}, caller: { type: "direct" } }),
      ["messages[].content[].cache_control"],
    ],
    [{ tools: [{ name: "f", eager_input_streaming: true, defer_loading: true }] }, ["tools[].defer_loading"]],
  ])("%j drops %j", (body, dropped) => {
    expect(parse(body).dropped).toEqual(dropped);
  });
});

test("a member that changes the account which pays the vendor is refused", () => {
  const read = (more: object) => () =>
    messagesWire.client.readParams({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }], ...more });
  expect(read({ billing_policy: { type: "billing_policy", bill_to: "user_profile" } })).toThrow(
    expect.objectContaining({ code: "unsupported_parameter", param: "billing_policy" }),
  );
  expect(read({ billing_policy: null })).not.toThrow();
  expect(messagesWire.client.inspectedMembers).toContain("billing_policy");
});
