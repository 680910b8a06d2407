import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { chatWire } from "../src/text/chat/index.ts";
import type { Part } from "../src/text/hub/part.ts";
import type { TextRequest } from "../src/text/hub/request.ts";
import { contextFor, oneAnswer, plain, renders } from "./harness.ts";

/** A model with OpenAI's newest fields, and one of a compatible vendor. */
const newest = { model: "gpt-5.1", defaultMaxTokens: 1000 };
const older = { model: "theirs", defaultMaxTokens: 1000 };
const messages = [{ role: "user", content: "hi" }];
const parse = (body: JsonRecord) => chatWire.client.read({ model: "m", messages, ...body });
const render = renders(chatWire, older);
const usageContext = contextFor({ includeUsage: true });

describe("reasoning settings of clients", () => {
  test.each<readonly [JsonRecord, TextRequest["reasoning"]]>([
    [{}, undefined],
    [{ reasoning_effort: "high" }, { effort: "high" }],
    [{ thinking: { type: "enabled", budget_tokens: 5 } }, { budgetTokens: 5 }],
    [{ thinking: { type: "disabled" } }, { effort: "none" }],
    [{ enable_thinking: true }, { budgetTokens: -1 }],
    [{ enable_thinking: true, thinking_budget: 9 }, { budgetTokens: 9 }],
    [{ enable_thinking: false, reasoning_effort: "high" }, { effort: "none" }],
    [{ reasoning: { effort: "low", exclude: true } }, { effort: "low", show: "none" }],
    [{ reasoning: { max_tokens: 2000 } }, { budgetTokens: 2000 }],
    [{ reasoning: { enabled: true } }, { budgetTokens: -1 }],
    [{ reasoning: { enabled: false } }, { effort: "none" }],
  ])("%j", (body, reasoning) => {
    const parsed = parse(body);
    expect(parsed.request.reasoning).toEqual(reasoning);
    expect(parsed.dropped).toEqual([]);
  });

  test.each<readonly [TextRequest["reasoning"], unknown]>([
    [{ budgetTokens: 8192 }, "medium"],
    [{ budgetTokens: -1 }, undefined],
    [{ effort: "none" }, "none"],
    [{ show: "summary" }, undefined],
  ])("%j is sent to a vendor as %j", (reasoning, effort) => {
    expect(render({ reasoning }).body["reasoning_effort"]).toBe(effort);
  });
});

describe("requests of clients", () => {
  test.each<readonly [string, JsonRecord, Partial<TextRequest>]>([
    ["the newer output limit takes precedence", { max_tokens: 5, max_completion_tokens: 7 }, { maxTokens: 7 }],
    ["one stop", { stop: "x" }, { stop: ["x"] }],
    ["the response format text", { response_format: { type: "text" } }, {}],
    ["top_logprobs without logprobs", { top_logprobs: 3 }, {}],
    [
      "search",
      { web_search_options: { search_context_size: "low" } },
      {
        tools: [
          {
            kind: "web-search",
            wire: "chat",
            options: { search_context_size: "low" },
            commonOptions: { contextSize: "low" },
          },
        ],
      },
    ],
    [
      "deprecated functions",
      { functions: [{ name: "f" }], function_call: { name: "f" } },
      { tools: [{ kind: "function", name: "f" }], toolChoice: { mode: "required", names: ["f"] } },
    ],
    [
      "allowed tools",
      {
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
        },
      },
      { toolChoice: { mode: "required", names: ["f"] } },
    ],
    [
      "a tool with a cache mark",
      { tools: [{ type: "function", function: { name: "f" }, cache_control: { type: "ephemeral" } }] },
      {
        tools: [{ kind: "function", name: "f", cache: {} }],
      },
    ],
    [
      "usage in a stream",
      { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
      {
        stream: true,
        includeUsage: true,
      },
    ],
    [
      "members that are only forwarded",
      { metadata: { a: "b" }, n: 2, seed: 0 },
      { metadata: { a: "b" }, choices: 2, seed: 0 },
    ],
    ["store: false", { store: false, user: null }, {}],
  ])("%s", (_, body, fields) => {
    const { request, dropped } = parse(body);
    const turns = [{ role: "user", parts: [{ kind: "text", text: "hi" }] }];
    expect(request).toEqual({ model: "m", stream: false, instructions: [], turns, ...fields });
    expect(dropped).toEqual([]);
  });

  const pdfData = "JVBERi0xLjQK";
  const file = (mediaType: string, data: string, name?: string): Part => ({
    kind: "file",
    source: { kind: "base64", mediaType, data },
    ...(name === undefined ? {} : { name }),
  });
  test.each<readonly [JsonRecord, Part]>([
    [
      { type: "image_url", image_url: "https://i.example/1" },
      { kind: "image", source: { kind: "url", url: "https://i.example/1" } },
    ],
    [
      { type: "image_url", image_url: { url: "data:image/png;charset=x;base64,AA==", detail: "high" } },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" }, detail: "high" },
    ],
    [
      { type: "file", file: { filename: "a.bin", file_data: `data:application/pdf;base64,${pdfData}` } },
      file("application/pdf", pdfData, "a.bin"),
    ],
    [{ type: "file", file: { filename: "a.csv", file_data: "YSxi" } }, file("text/csv", "YSxi", "a.csv")],
    [{ type: "file", file: { file_data: pdfData } }, file("application/pdf", pdfData)],
    [
      { type: "file", file: { filename: "a.pdf", file_data: "https://a.example/a.pdf" } },
      { kind: "file", source: { kind: "url", url: "https://a.example/a.pdf" }, name: "a.pdf" },
    ],
    [{ type: "file", file: { file_data: "aGk=" } }, file("text/plain", "aGk=")],
    [{ type: "file", file: { filename: "a.log", file_data: "w6Q=" } }, file("text/plain", "w6Q=", "a.log")],
    [
      { type: "input_audio", input_audio: { data: "AA==", format: "mp3" } },
      { kind: "audio", source: { kind: "base64", mediaType: "audio/mpeg", data: "AA==" } },
    ],
    [
      { type: "video_url", video_url: { url: "https://v.example" } },
      { kind: "video", source: { kind: "url", url: "https://v.example" } },
    ],
    [
      { type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } },
      { kind: "text", text: "x", cache: { lifetime: "1h" } },
    ],
  ])("%j", (part, expected) => {
    const { request, dropped } = parse({ messages: [{ role: "user", content: [part] }] });
    expect(request.turns).toEqual([{ role: "user", parts: [expected] }]);
    expect(dropped).toEqual([]);
  });

  test("developer messages are instructions at any position; earlier answers stay unchanged", () => {
    const { request, dropped } = parse({
      messages: [
        { role: "developer", content: "a" },
        { role: "system", content: [{ type: "text", text: "b" }] },
        { role: "user", content: "c" },
        { role: "assistant", content: null, refusal: "no", reasoning: "hm", tool_calls: null, annotations: [] },
        { role: "developer", content: "d" },
        { role: "assistant", content: "", function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "1" },
        { role: "tool", tool_call_id: "call_9", content: [{ type: "text", text: "2" }] },
      ],
    });
    const id = expect.stringMatching(/^call_/);
    expect(request.instructions.map(({ text }) => text)).toEqual(["a", "b"]);
    expect(request.turns).toEqual([
      { role: "user", parts: [{ kind: "text", text: "c" }] },
      {
        role: "assistant",
        parts: [
          { kind: "reasoning", text: "hm" },
          { kind: "refusal", text: "no" },
        ],
      },
      { role: "system", parts: [{ kind: "text", text: "d" }] },
      { role: "assistant", parts: [{ kind: "tool-call", id, name: "f", arguments: "{}" }] },
      {
        role: "user",
        parts: [
          { kind: "tool-result", callId: id, name: "f", parts: [{ kind: "text", text: "1" }] },
          { kind: "tool-result", callId: "call_9", parts: [{ kind: "text", text: "2" }] },
        ],
      },
    ]);
    const [, , , call, results] = request.turns;
    expect(call?.parts[0]).toMatchObject({ id: results?.parts[0]?.kind === "tool-result" && results.parts[0].callId });
    expect(dropped).toEqual([]);
  });

  test("Google's signature on a call is kept for the content wire", () => {
    const call = {
      id: "call_1",
      type: "function",
      function: { name: "f", arguments: "{}" },
      extra_content: { google: { thought_signature: "sig" } },
    };
    expect(parse({ messages: [{ role: "assistant", tool_calls: [call] }] }).request.turns[0]?.parts).toEqual([
      {
        kind: "tool-call",
        id: "call_1",
        name: "f",
        arguments: "{}",
        signature: { wire: "content", kind: "thoughtSignature", value: "sig" },
      },
    ]);
  });

  test("a signature is dropped if the client has dropped its reasoning", () => {
    const whole = oneAnswer([
      { kind: "reasoning", text: "hm", signature: { wire: "messages", kind: "signature", value: "s" } },
    ]);
    const { choices } = plain(chatWire.client.render(whole, usageContext)) as { choices: { message: JsonRecord }[] };
    const { reasoning_content: _, ...message } = choices[0]?.message ?? {};
    expect(parse({ messages: [{ ...message, content: "x" }] }).request.turns[0]?.parts).toEqual([
      { kind: "text", text: "x" },
    ]);
  });
});

describe("invalid requests", () => {
  const userMessage = (content: unknown): JsonRecord => ({ messages: [{ role: "user", content }] });
  test.each([
    ["no messages", { messages: null }, "missing_required_parameter", "messages"],
    ["a wrong role", { messages: [{ role: "judge", content: "" }] }, "invalid_value", "messages[0].role"],
    [
      "a file that is neither PDF nor text",
      userMessage([{ type: "file", file: { filename: "a.docx", file_data: "UEsDBBQABgAIAAAAIQDfpNJs" } }]),
      "invalid_value",
      "messages[0].content[0].file.file_data",
    ],
    [
      "file data that is not a string",
      userMessage([{ type: "file", file: { file_data: 5 } }]),
      "invalid_value",
      "messages[0].content[0].file.file_data",
    ],
    ["no role", { messages: [{ content: "" }] }, "missing_required_parameter", "messages[0].role"],
    ["an unknown part", userMessage([{ type: "constructor" }]), "invalid_value", "messages[0].content[0].type"],
    ["a wrong text", userMessage([{ type: "text", text: 3 }]), "invalid_value", "messages[0].content[0].text"],
    [
      "a stored file",
      userMessage([{ type: "file", file: { file_id: "file-1" } }]),
      "unsupported_parameter",
      "messages[0].content[0].file.file_id",
    ],
    [
      "a picture in a system message",
      { messages: [{ role: "system", content: [{ type: "image_url", image_url: "x" }] }] },
      "invalid_value",
      "messages[0].content",
    ],
    [
      "a result without a call",
      { messages: [{ role: "tool", content: "x" }] },
      "missing_required_parameter",
      "messages[0].tool_call_id",
    ],
    ["a wrong number", { temperature: "1" }, "invalid_value", "temperature"],
    ["an unknown effort", { reasoning_effort: "heroic" }, "invalid_value", "reasoning_effort"],
    ["a tool without its function", { tools: [{ type: "function" }] }, "invalid_value", "tools[0].function"],
    ["a forced vendor-side tool", { tool_choice: { type: "file_search" } }, "unsupported_parameter", "tool_choice"],
  ])("%s", (_, body, code, param) => {
    expect(() => parse(body)).toThrow(expect.objectContaining({ code, param }));
  });

  test.each([
    [{ min_p: 0, repetition_penalty: 1, extra_body: {} }, ["min_p", "repetition_penalty", "extra_body"]],
    [{ store: true }, ["store"]],
    [{ stream_options: { include_obfuscation: true } }, ["stream_options.include_obfuscation"]],
    [{ messages: [{ role: "user", content: "x", name: "Ann" }] }, ["messages[].name"]],
    [{ reasoning: { summary: "auto" } }, ["reasoning.summary"]],
  ])("%j drops %j", (body, dropped) => {
    expect(parse(body).dropped).toEqual(dropped);
  });
});

describe("requests to vendors", () => {
  test("a streamed request enables the vendor's usage report", () => {
    expect(render({ stream: true }).body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test.each([
    ["theirs", "max_tokens"],
    ["deepseek-chat", "max_tokens"],
    ["gpt-4o", "max_tokens"],
    ["gpt-oss-120b", "max_tokens"],
    ["gpt-5.1", "max_completion_tokens"],
    ["o4-mini", "max_completion_tokens"],
    ["openai/o3", "max_completion_tokens"],
  ])("%s accepts %s", (model, name) => {
    expect(render({ maxTokens: 5 }, { ...older, model }).body[name]).toBe(5);
  });

  const tools = [
    { kind: "function", name: "f" },
    { kind: "function", name: "g" },
    { kind: "custom", name: "free", format: { type: "text" } },
  ] as const;
  test("older vendors get free-text tools as functions, and only the allowed tools", () => {
    const { body, dropped } = render({ tools, toolChoice: { mode: "required", names: ["f", "free"] } });
    expect(body).toMatchObject({
      tools: [
        { function: { name: "f" } },
        { type: "function", function: { name: "free", parameters: { type: "object" } } },
      ],
      tool_choice: "required",
    });
    expect(dropped).toEqual(["tools.format"]);
  });

  test("reasoning is sent back only before a tool call, and not to vendors that refuse it", () => {
    const reasoningPart: Part = { kind: "reasoning", text: "hm" };
    const call: Part = { kind: "tool-call", id: "c", name: "f", arguments: "{}" };
    const renderAssistant = (parts: readonly Part[], target = older) =>
      render({ turns: [{ role: "assistant", parts }] }, target);
    expect(renderAssistant([reasoningPart, call])).toMatchObject({
      body: { messages: [{ reasoning_content: "hm" }, {}] },
      dropped: [],
    });
    expect(renderAssistant([reasoningPart, { kind: "text", text: "x" }])).toEqual({
      body: { model: "theirs", messages: [{ role: "assistant", content: "x" }] },
      dropped: ["turn.reasoning"],
    });
    const strict = renderAssistant([reasoningPart, call], newest);
    expect(JSON.stringify(strict.body)).not.toContain("hm");
    expect(strict.dropped).toEqual(["turn.reasoning"]);
  });

  test("results come first, as text; their images become the next user message; errors are marked", () => {
    const result = (parts: Extract<Part, { kind: "tool-result" }>["parts"], isError = false): Part => ({
      kind: "tool-result",
      callId: "c",
      parts,
      isError,
    });
    const png = { kind: "image", source: { kind: "url", url: "https://i.example" } } as const;
    const parts = [
      { kind: "text", text: "see" } as const,
      result([{ kind: "text", text: "bad" }], true),
      result([png]),
    ];
    const { body, dropped } = render({ turns: [{ role: "user", parts }] });
    expect(body["messages"]).toEqual([
      { role: "tool", tool_call_id: "c", content: "Error: bad" },
      { role: "tool", tool_call_id: "c", content: "The result is in the next message." },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "https://i.example" } },
          { type: "text", text: "see" },
        ],
      },
    ]);
    expect(dropped).toEqual(["tool-result.is-error"]);
  });

  test("a text file is sent as text", () => {
    const part: Part = { kind: "file", source: { kind: "text", text: "a ``` b" }, title: "notes" };
    expect(render({ turns: [{ role: "user", parts: [part] }] })).toMatchObject({
      body: { messages: [{ content: [{ type: "text", text: "notes\n````\na ``` b\n````" }] }] },
      dropped: ["file.title"],
    });
  });

  const userTurn = (part: Part): Partial<TextRequest> => ({ turns: [{ role: "user", parts: [part] }] });
  const wrote = (part: Part): Partial<TextRequest> => ({ turns: [{ role: "assistant", parts: [part] }] });
  const foreignSignature = { wire: "responses", kind: "encrypted_content", value: "x" } as const;
  test.each<readonly [string, Partial<TextRequest>, string]>([
    ["five stops", { stop: ["1", "2", "3", "4", "5"] }, "stop"],
    [
      "another vendor's tool",
      { tools: [{ kind: "vendor", wire: "content", name: "maps", definition: {} }] },
      "tools: maps",
    ],
    ["a file by address", userTurn({ kind: "file", source: { kind: "url", url: "https://f" } }), "files by address"],
    [
      "another vendor's file",
      userTurn({ kind: "image", source: { kind: "file-id", wire: "messages", id: "f" } }),
      "file ids of another vendor",
    ],
    ["a compaction", wrote({ kind: "compaction", signature: foreignSignature }), "a compaction of another vendor"],
    [
      "another vendor's item",
      wrote({ kind: "vendor", wire: "responses", value: {} }),
      "items of another vendor's tools",
    ],
  ])("%s is refused", (_, fields, param) => {
    expect(() => render(fields)).toThrow(expect.objectContaining({ code: "unsupported_parameter", param }));
  });

  test.each<readonly [Partial<TextRequest>, readonly string[]]>([
    [{ topK: 2 }, []],
    [{ toolChoice: { mode: "auto" }, parallelTools: false }, ["toolChoice"]],
    [{ tools: [{ kind: "web-search", wire: "messages", options: { max_uses: 1 } }] }, ["tools.web-search"]],
    [{ tools: [{ kind: "function", name: "f", cache: {} }] }, ["tools.cache"]],
    [userTurn({ kind: "text", text: "x", cache: {} }), ["text.cache"]],
  ])("%j drops %j", (fields, dropped) => {
    expect(render(fields).dropped).toEqual(dropped);
  });

  test.each(["gpt-5-search-api", "openai/gpt-4o-search-preview", "sonar-pro"])("%s searches the web", (model) => {
    const tools = [
      { kind: "web-search", wire: "responses", options: {}, commonOptions: { contextSize: "low" } },
    ] as const;
    const { body, dropped } = render({ tools }, { ...older, model });
    expect(body).toMatchObject({ web_search_options: { search_context_size: "low" } });
    expect(dropped).toEqual([]);
    expect(render({ tools }, newest).body).not.toHaveProperty("web_search_options");
  });

  test("fields that the wire's own vendor refuses are dropped and named", () => {
    const fields = { topK: 2, metadata: { a: "b" } };
    expect(render(fields, newest)).toEqual({ body: { model: "gpt-5.1", messages: [] }, dropped: ["topK", "metadata"] });
    expect(render(fields)).toMatchObject({ body: { top_k: 2, metadata: { a: "b" } }, dropped: [] });
  });
});

test("every field of a body is read, or refused and named", () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom("text", "function", "custom", "allowed_tools", {}, [{}]),
  );
  const names = ["content", "tool_calls", "function_call", "reasoning_details", "images", "audio", "refusal", "name"];
  const message = fc
    .tuple(
      fc.constantFrom("system", "user", "assistant", "tool", "function"),
      fc.dictionary(fc.constantFrom(...names), odd),
    )
    .map(([role, members]) => ({ role, tool_call_id: "c", ...members }));
  const fields = [
    "tools",
    "tool_choice",
    "functions",
    "stop",
    "response_format",
    "reasoning",
    "thinking",
    "stream_options",
  ];
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...fields), odd),
      (messages, rest) => {
        try {
          parse({ ...plain(rest), messages: messages.map(plain) });
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      },
    ),
  );
});
