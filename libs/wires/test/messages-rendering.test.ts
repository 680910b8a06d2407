import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Part } from "../src/text/hub/part.ts";
import type { TextRequest } from "../src/text/hub/request.ts";
import { messagesWire } from "../src/text/messages/index.ts";
import { calling, renders, result, text, tools, user } from "./harness.ts";

const target = { model: "theirs", defaultMaxTokens: 1000 };
const render = renders(messagesWire, target);

describe("turns for the vendor", () => {
  test("adjacent turns become one message, results come first, empty texts are dropped", () => {
    const { body } = render({
      turns: [
        { role: "user", parts: [text("a"), text(" ")] },
        { role: "user", parts: [text("b")] },
        { role: "assistant", parts: [text(""), { kind: "reasoning", text: "x" }] },
        { role: "user", parts: [text("c")] },
        { role: "assistant", parts: [calling("1"), calling("2")] },
        { role: "user", parts: [text("d"), result("2")] },
        { role: "user", parts: [result("1")] },
      ],
    });
    expect(body["messages"]).toEqual([
      { role: "user", content: ["a", "b", "c"].map((words) => ({ type: "text", text: words })) },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "1", name: "f", input: {} },
          { type: "tool_use", id: "2", name: "f", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "2", content: "ok" },
          { type: "tool_result", tool_use_id: "1", content: "ok" },
          { type: "text", text: "d" },
        ],
      },
    ]);
  });

  test.each([
    ["at the end", []],
    ["before other text", [{ role: "user" as const, parts: [text("well?")] }]],
    [
      "before the model's next text",
      [
        { role: "assistant" as const, parts: [] },
        { role: "user" as const, parts: [result("b")] },
      ],
    ],
  ])("a call without a result gets one %s", (_, rest) => {
    const { body } = render({ turns: [{ role: "assistant", parts: [calling("a"), calling("b")] }, ...rest] });
    const [, , resultMessage]: any = body["messages"];
    const missing = { type: "tool_result", tool_use_id: "a", content: "no result was given", is_error: true };
    expect(resultMessage.role).toBe("user");
    expect(resultMessage.content.slice(0, 2)).toContainEqual(missing);
    expect(resultMessage.content.slice(0, 2).map(({ type }: any) => type)).toEqual(["tool_result", "tool_result"]);
  });

  test("a history that starts with the assistant gets an initial user message, which is named", () => {
    const turns = [
      { role: "assistant" as const, parts: [text("Good day.")] },
      { role: "user" as const, parts: [text("Hi")] },
    ];
    const { body, dropped } = render({ turns });
    const messages: any = body["messages"];
    expect(messages.map(({ role }: any) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[1].content).toEqual([{ type: "text", text: "Good day." }]);
    expect(dropped).toEqual(["turn.first-assistant"]);
  });

  test("ids with characters that the vendor refuses are replaced consistently", () => {
    const { body } = render({
      turns: [
        { role: "assistant", parts: [calling("functions.f:0")] },
        { role: "user", parts: [result("functions.f:0")] },
      ],
    });
    const [, call, resultMessage]: any = body["messages"];
    expect(call.content[0].id).toMatch(/^toolu_[0-9a-f]{24}$/);
    expect(resultMessage.content[0].tool_use_id).toBe(call.content[0].id);
  });

  test("instructions without turns become a user turn; instructions between turns move to the front", () => {
    expect(render({ instructions: [{ kind: "text", text: "s" }] }).body).toMatchObject({
      messages: [{ role: "user", content: [{ type: "text", text: "s" }] }],
    });
    const { body, dropped } = render({
      instructions: [{ kind: "text", text: "s" }],
      turns: [
        { role: "user", parts: [text("a")] },
        { role: "system", parts: [text("t")] },
      ],
    });
    expect(body["system"]).toEqual([
      { type: "text", text: "s" },
      { type: "text", text: "t" },
    ]);
    expect(dropped).toEqual(["turn.system-place"]);
  });

  test.each(["claude-opus-4-8", "claude-fable-5-1", "claude-sonnet-5-5", "claude-haiku-5-5"])(
    "instructions in the middle keep their position for %s",
    (model) => {
      const { body, dropped } = render(
        {
          instructions: [{ kind: "text", text: "s" }],
          turns: [
            { role: "user", parts: [text("a")] },
            { role: "system", parts: [text("t")] },
            { role: "assistant", parts: [text("b")] },
            { role: "user", parts: [text("c")] },
            { role: "system", parts: [text("u")] },
          ],
        },
        { model, defaultMaxTokens: 9 },
      );
      const textMessage = (role: string, content: string) => ({ role, content: [{ type: "text", text: content }] });
      expect(body).toMatchObject({
        system: "s",
        messages: [
          textMessage("user", "a"),
          textMessage("system", "t"),
          textMessage("assistant", "b"),
          textMessage("user", "c"),
          textMessage("system", "u"),
        ],
      });
      expect(dropped).toEqual([]);
    },
  );

  test("an instruction before a user turn follows that turn, and without such a turn moves to the front; both are named", () => {
    const { body, dropped } = render(
      {
        turns: [
          { role: "user", parts: [text("a")] },
          { role: "assistant", parts: [text("b")] },
          { role: "system", parts: [text("t")] },
          { role: "user", parts: [text("c")] },
          { role: "assistant", parts: [text("d")] },
          { role: "system", parts: [text("u")] },
        ],
      },
      { model: "claude-opus-5", defaultMaxTokens: 9 },
    );
    expect(body).toMatchObject({
      system: "u",
      messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }, { role: "system" }, { role: "assistant" }],
    });
    expect(dropped).toEqual(["turn.system-place"]);
  });

  test.each(["claude-sonnet-5", "claude-opus-4-7", "claude-opus-4-8@20260528", "anthropic.claude-opus-5-v1:0"])(
    "%s gets instructions at the front",
    (model) => {
      const turns: TextRequest["turns"] = [
        { role: "user", parts: [text("a")] },
        { role: "system", parts: [text("t")] },
      ];
      const { body, dropped } = render({ turns }, { model, defaultMaxTokens: 9 });
      expect(body).toMatchObject({ system: "t", messages: [{ role: "user" }] });
      expect(dropped).toEqual(["turn.system-place"]);
    },
  );

  test.each<readonly [string, Part, JsonRecord]>([
    [
      "text bytes",
      { kind: "file", source: { kind: "base64", mediaType: "text/csv", data: "YSxi" }, name: "a.csv" },
      { type: "document", title: "a.csv", source: { type: "text", media_type: "text/plain", data: "a,b" } },
    ],
    ["a refusal", { kind: "refusal", text: "no" }, { type: "text", text: "no" }],
    ["a result without text", { ...result("a"), parts: [] }, { type: "tool_result", tool_use_id: "a" }],
  ])("%s", (_, part, block) => {
    const before: TextRequest["turns"] =
      part.kind === "tool-result" ? [{ role: "assistant", parts: [calling("a")] }] : [];
    const { body } = render({ turns: [...before, { role: "user", parts: [part] }] });
    const messages: any = body["messages"];
    expect(messages.at(-1).content).toEqual([block]);
  });

  test("a tool's arguments: wrapped free text, no arguments, invalid JSON", () => {
    const input = (part: Partial<Extract<Part, { kind: "tool-call" }>>) => {
      const { body } = render({
        turns: [{ role: "assistant", parts: [{ kind: "tool-call", id: "a", name: "f", arguments: "", ...part }] }],
      });
      return (body as any).messages[1].content[0].input;
    };
    expect(input({ custom: true, arguments: "free" })).toEqual({ input: "free" });
    expect(input({})).toEqual({});
    expect(input({ arguments: "{cut" })).toEqual({ _raw: "{cut" });
  });
});

describe("tools for the vendor", () => {
  test.each<readonly [string, Partial<TextRequest>, JsonRecord]>([
    [
      "a schema without a type",
      { tools: [{ kind: "function", name: "f", parameters: { properties: {} } }] },
      { tools: [{ name: "f", input_schema: { type: "object", properties: {} } }] },
    ],
    [
      "no arguments",
      { tools: [{ kind: "function", name: "f" }] },
      { tools: [{ name: "f", input_schema: { type: "object", properties: {} } }] },
    ],
    [
      "free text",
      { tools: [{ kind: "custom", name: "f" }] },
      { tools: [{ name: "f", input_schema: { required: ["input"] } }] },
    ],
    [
      "another vendor's search",
      { tools: [{ kind: "web-search", wire: "content", options: {} }] },
      { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    ],
    [
      "no parallel calls",
      { tools, parallelTools: false },
      { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    ],
    [
      "one of several allowed tools",
      { tools, toolChoice: { mode: "auto", names: ["g", "h"] } },
      { tools: [{ name: "g" }], tool_choice: { type: "auto" } },
    ],
    [
      "one named",
      { tools, toolChoice: { mode: "required", names: ["g"] } },
      { tools: [{ name: "f" }, { name: "g" }], tool_choice: { type: "tool", name: "g" } },
    ],
  ])("%s", (_, fields, expected) => {
    expect(render(fields).body).toMatchObject(expected);
  });
});

describe("fields that vendors of this wire do not support", () => {
  test.each<readonly [string, Partial<TextRequest>, string]>([
    ["several choices", { choices: 2 }, "choices"],
    ["log probabilities", { logProbabilities: { alternatives: 2 } }, "logProbabilities"],
    ["images from the model", { modalities: ["text", "image"] }, "modalities"],
    ["a high temperature", { temperature: 1.5 }, "temperature"],
    ["a white-space stop sequence", { stop: ["\n"] }, "stop"],
    ["an invalid name", { tools: [{ kind: "function", name: "a.b" }] }, "tools"],
    [
      "arguments that are not an object",
      { tools: [{ kind: "function", name: "f", parameters: { type: "string" } }] },
      "tools",
    ],
    [
      "another vendor's tool",
      { tools: [{ kind: "vendor", wire: "responses", name: "file_search", definition: {} }] },
      "tools: file_search",
    ],
    ["another vendor's item", user({ kind: "vendor", wire: "content", value: {} }), "items of another vendor's tools"],
    [
      "a compaction",
      user({ kind: "compaction", signature: { wire: "responses", kind: "encrypted_content", value: "c" } }),
      "a compaction of another vendor",
    ],
    ["audio", user({ kind: "audio", source: { kind: "base64", mediaType: "audio/wav", data: "" } }), "audio parts"],
    ["video", user({ kind: "video", source: { kind: "url", url: "https://v.example" } }), "video parts"],
    [
      "an image of another kind",
      user({ kind: "image", source: { kind: "base64", mediaType: "image/tiff", data: "" } }),
      "image/tiff parts",
    ],
    [
      "a file of another kind",
      user({ kind: "file", source: { kind: "base64", mediaType: "application/zip", data: "" } }),
      "application/zip parts",
    ],
    [
      "another vendor's file",
      user({ kind: "file", source: { kind: "file-id", wire: "responses", id: "f" } }),
      "file ids of another vendor",
    ],
    [
      "the model's image",
      { turns: [{ role: "assistant", parts: [{ kind: "image", source: { kind: "url", url: "https://p.example" } }] }] },
      "image parts of the model",
    ],
    ["a result without its call", user(result("a")), "a tool result without its call"],
  ])("%s is refused", (_, fields, param) => {
    expect(() => render(fields)).toThrow(expect.objectContaining({ code: "unsupported_parameter", param }));
  });

  test.each<readonly [Partial<TextRequest>, readonly string[]]>([
    [
      { seed: 1, presencePenalty: 0, logitBias: {}, metadata: {}, safetyIdentifier: "s" },
      ["seed", "presencePenalty", "logitBias", "metadata", "safetyIdentifier"],
    ],
    [{ choices: 1, parallelTools: true, stop: [], modalities: ["text"] }, []],
    [{ toolChoice: { mode: "auto" } }, ["toolChoice"]],
    [{ serviceTier: "flex" }, ["serviceTier"]],
    [{ format: { kind: "schema", schema: {}, name: "n", strict: true } }, ["format.name", "format.strict"]],
    [{ tools: [{ kind: "custom", name: "f", format: {} }] }, ["tools.format"]],
    [user({ kind: "image", source: { kind: "url", url: "https://p.example" }, detail: "low" }), ["image.detail"]],
    [user({ kind: "text", text: "x", citations: [{ url: "https://a.example" }] }), ["text.citations"]],
  ])("%j drops %j", (fields, dropped) => {
    expect(render(fields).dropped).toEqual(dropped);
  });
});
