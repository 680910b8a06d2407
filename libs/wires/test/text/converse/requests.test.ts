import { describe, expect, test } from "vitest";
import { converseWire } from "../../../src/text/converse/index.ts";
import type { Part } from "../../../src/text/hub/part.ts";
import type { TextRequest } from "../../../src/text/hub/request.ts";
import { calling, renders, result, text, toolRound, tools, user, weather } from "../../harness.ts";

const claude = "us.anthropic.claude-sonnet-4-20250514-v1:0";
const target = { model: claude, defaultMaxTokens: 4_096 };
const render = renders({ ...converseWire }, target);
const png = { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
const at = (model: string) => ({ ...target, model });
const signed: Part = {
  kind: "reasoning",
  text: "hm",
  signature: { wire: "converse", kind: "signature", value: "sig" },
};

test("a tool round is rendered in the wire's format", () => {
  expect(render(toolRound)).toEqual({
    body: {
      system: [{ text: "Be brief." }],
      messages: [
        {
          role: "user",
          content: [{ text: "Weather in this city?" }, { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } }],
        },
        {
          role: "assistant",
          content: [
            { text: "I check." },
            { toolUse: { toolUseId: "call_1", name: "get_weather", input: { city: "Oslo" } } },
          ],
        },
        { role: "user", content: [{ toolResult: { toolUseId: "call_1", content: [{ text: '{"temp":4}' }] } }] },
      ],
      inferenceConfig: { maxTokens: 300 },
      toolConfig: {
        tools: [{ toolSpec: { name: "get_weather", description: "Weather now", inputSchema: { json: weather } } }],
        toolChoice: { auto: {} },
      },
    },
    dropped: [],
  });
});

describe("parts", () => {
  test.each<[string, Part, readonly object[]]>([
    [
      "reasoning with its signature",
      signed,
      [{ reasoningContent: { reasoningText: { text: "hm", signature: "sig" } } }],
    ],
    [
      "redacted thoughts",
      { kind: "reasoning", text: "", signature: { wire: "converse", kind: "redacted", value: "AAAA" } },
      [{ reasoningContent: { redactedContent: "AAAA" } }],
    ],
    [
      "a document",
      { kind: "file", name: "My  file_1.pdf", source: { kind: "base64", mediaType: "application/pdf", data: "JVBE" } },
      [{ document: { format: "pdf", source: { bytes: "JVBE" }, name: "My file-1-pdf" } }, { text: "My file-1-pdf" }],
    ],
    [
      "a cache point",
      { kind: "text", text: "long", cache: { lifetime: "1h" } },
      [{ text: "long" }, { cachePoint: { type: "default", ttl: "1h" } }],
    ],
    [
      "a film",
      { kind: "video", source: { ...png, mediaType: "video/mp4" } },
      [{ video: { format: "mp4", source: { bytes: png.data } } }],
    ],
  ])("%s", (_, part, content) => {
    expect(render(user(part)).body["messages"]).toEqual([{ role: "user", content }]);
  });

  test("two documents with the same name get different names", () => {
    const file: Part = { kind: "file", name: "a", source: { kind: "text", text: "x" } };
    const { messages }: any = render(user(text("read"), file, file)).body;
    expect(messages[0].content.flatMap(({ document }: any) => document?.name ?? [])).toEqual(["a", "a (2)"]);
  });

  test("a failed call's result is an error, and one without text is empty", () => {
    const turns: TextRequest["turns"] = [
      { role: "user", parts: [text("a")] },
      { role: "assistant", parts: [calling("c")] },
      { role: "user", parts: [{ kind: "tool-result", callId: "c", parts: [], isError: true }] },
    ];
    const { messages }: any = render({ turns, tools }).body;
    expect(messages[2].content).toEqual([{ toolResult: { toolUseId: "c", content: [{ json: {} }], status: "error" } }]);
  });

  test.each<[string, Part]>([
    ["a picture by its address", { kind: "image", source: { kind: "url", url: "https://a.example/a.png" } }],
    ["a picture of another kind", { kind: "image", source: { ...png, mediaType: "image/tiff" } }],
    ["a result without its call", result("c")],
  ])("%s is refused", (_, part) => {
    expect(() => render(user(part))).toThrow(expect.objectContaining({ code: "unsupported_parameter" }));
  });

  test("reasoning of another wire is dropped and named", () => {
    const foreign: Part = {
      kind: "reasoning",
      text: "hm",
      signature: { wire: "messages", kind: "signature", value: "s" },
    };
    const turns: TextRequest["turns"] = [
      { role: "user", parts: [text("q")] },
      { role: "assistant", parts: [foreign, text("a")] },
    ];
    expect(render({ turns })).toMatchObject({
      body: { messages: [{ role: "user" }, { role: "assistant", content: [{ text: "a" }] }] },
      dropped: ["turn.reasoning"],
    });
  });

  test("a history that starts with the assistant gets a turn before it, which is named", () => {
    const turns: TextRequest["turns"] = [{ role: "assistant", parts: [text("a")] }];
    expect(render({ turns })).toMatchObject({
      body: { messages: [{ role: "user" }, { role: "assistant", content: [{ text: "a" }] }] },
      dropped: ["turn.first-assistant"],
    });
  });
});

describe("tools", () => {
  test.each<[TextRequest["toolChoice"], object | undefined]>([
    [{ mode: "auto" }, { auto: {} }],
    [{ mode: "required" }, { any: {} }],
    [{ mode: "required", names: ["g"] }, { tool: { name: "g" } }],
    [undefined, undefined],
  ])("the choice %j", (toolChoice, choice) => {
    const { toolConfig }: any = render({ ...user(text("a")), tools, toolChoice }).body;
    expect([toolConfig.tools.length, toolConfig.toolChoice]).toEqual([2, choice]);
  });

  test("the choice none removes the tools, except those that were called", () => {
    const none = { tools, toolChoice: { mode: "none" } } as const;
    expect(render({ ...user(text("a")), ...none })).toMatchObject({ body: {}, dropped: [] });
    expect(render({ ...user(text("a")), ...none }).body["toolConfig"]).toBeUndefined();
    const turns: TextRequest["turns"] = [
      { role: "user", parts: [text("a")] },
      { role: "assistant", parts: [calling("c")] },
      { role: "user", parts: [result("c")] },
    ];
    expect(render({ turns, ...none }).dropped).toEqual(["toolChoice"]);
  });

  test("tools that are no longer offered are declared by name", () => {
    const turns: TextRequest["turns"] = [
      { role: "assistant", parts: [calling("c")] },
      { role: "user", parts: [result("c")] },
    ];
    const { toolConfig }: any = render({ turns }).body;
    expect(toolConfig.tools).toEqual([
      { toolSpec: { name: "f", inputSchema: { json: { type: "object", properties: {} } } } },
    ]);
  });
});

describe("thinking and sampling", () => {
  test.each<[string, string, Partial<TextRequest>, object, readonly string[]]>([
    [
      "a budget below the limit",
      claude,
      { reasoning: { effort: "high" }, maxTokens: 2_000, temperature: 0.5 },
      {
        inferenceConfig: { maxTokens: 2_000 },
        additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1_600 } },
      },
      ["temperature"],
    ],
    ["no space for a budget", claude, { reasoning: { effort: "low" }, maxTokens: 1_000 }, {}, ["reasoning"]],
    [
      "Claude's newest models think adaptively",
      "anthropic.claude-opus-4-7",
      { reasoning: { effort: "low" } },
      {
        additionalModelRequestFields: {
          thinking: { type: "adaptive", display: "summarized" },
          output_config: { effort: "low" },
        },
      },
      [],
    ],
    [
      "disabled thinking of a model that thinks by default",
      "anthropic.claude-sonnet-5-v1:0",
      { reasoning: { effort: "none" } },
      { additionalModelRequestFields: { thinking: { type: "disabled" } } },
      [],
    ],
    [
      "disabled thinking of a model that always thinks",
      "anthropic.claude-opus-5-5-v1:0",
      { reasoning: { effort: "none" } },
      { additionalModelRequestFields: { output_config: { effort: "low" } } },
      ["reasoning"],
    ],
    [
      "Nova",
      "us.amazon.nova-2-lite-v1:0",
      { reasoning: { effort: "xhigh" } },
      { additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } } },
      ["reasoning"],
    ],
    [
      "gpt-oss",
      "openai.gpt-oss-120b-1:0",
      { reasoning: { effort: "minimal" } },
      { additionalModelRequestFields: { reasoning_effort: "low" } },
      ["reasoning"],
    ],
    ["a model that cannot express it", "meta.llama3-70b", { reasoning: { effort: "low" } }, {}, ["reasoning"]],
    ["Claude's top_k", claude, { topK: 5 }, { additionalModelRequestFields: { top_k: 5 } }, []],
    [
      "Nova's",
      "amazon.nova-pro-v1:0",
      { topK: 5 },
      { additionalModelRequestFields: { inferenceConfig: { topK: 5 } } },
      [],
    ],
    ["unknown", "meta.llama3-70b", { topK: 5 }, {}, ["topK"]],
  ])("%s", (_, model, fields, body, dropped) => {
    expect(render({ ...user(text("a")), ...fields }, at(model))).toMatchObject({ body, dropped });
  });

  test("a forced tool, or a loop that began without signed reasoning, turns thinking off", () => {
    const reasoning = { effort: "high" } as const;
    const forced = { ...user(text("a")), tools, toolChoice: { mode: "required" }, reasoning } as const;
    expect(render(forced).dropped).toEqual(["reasoning"]);
    const loop = (...parts: readonly Part[]): TextRequest["turns"] => [
      { role: "user", parts: [text("a")] },
      { role: "assistant", parts: [...parts, calling("c")] },
      { role: "user", parts: [result("c")] },
    ];
    expect(render({ turns: loop(), tools, reasoning }).dropped).toEqual(["reasoning"]);
    expect(render({ turns: loop(signed), tools, reasoning }).dropped).toEqual([]);
  });
});

test.each<[string, readonly object[], object]>([
  [claude, [], { content: [{ text: "ok" }, { image: {} }] }],
  ["us.amazon.nova-pro-v1:0", [], { content: [{ text: "ok" }, { image: {} }] }],
  ["openai.gpt-6-astra", [{ image: {} }], { content: [{ text: "ok" }] }],
])("%s gets the image of a tool's result where it accepts one", (model, after, content) => {
  const image = { kind: "image", source: png } as const;
  const seen = { ...result("c"), parts: [text("ok"), image] };
  const turns: TextRequest["turns"] = [
    { role: "user", parts: [text("a")] },
    { role: "assistant", parts: [calling("c")] },
    { role: "user", parts: [seen] },
  ];
  const { body, dropped } = render({ turns, tools }, at(model));
  expect(body).toMatchObject({ messages: [{}, {}, { content: [{ toolResult: content }, ...after] }] });
  expect(dropped).toEqual([]);
  const onlyImage = render(
    { turns: [...turns.slice(0, 2), { role: "user", parts: [{ ...seen, parts: [image] }] }], tools },
    at("openai.gpt-6"),
  );
  expect(JSON.stringify(onlyImage.body["messages"])).toContain("in the images of this message");
});

test.each<[string, Partial<TextRequest>, object]>([
  [
    "stop sequences, and the one that matched",
    { stop: ["END"] },
    { inferenceConfig: { stopSequences: ["END"] }, additionalModelResponseFieldPaths: ["/stop_sequence"] },
  ],
  [
    "a schema",
    { format: { kind: "schema", name: "n", schema: { type: "object" } } },
    {
      outputConfig: {
        textFormat: { type: "json_schema", structure: { jsonSchema: { schema: '{"type":"object"}', name: "n" } } },
      },
    },
  ],
  ["a service tier", { serviceTier: "flex" }, { serviceTier: { type: "flex" } }],
])("%s", (_, fields, body) => {
  expect(render({ ...user(text("a")), ...fields })).toMatchObject({ body, dropped: [] });
});

test("the charges of a request in addition to tokens are its tier", () => {
  expect(converseWire.vendor.requestedFees({ serviceTier: { type: "priority" } })).toEqual({
    tools: [],
    tiers: [{ name: "priority", path: "serviceTier" }],
  });
});
