import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { wires } from "../src/text/index.ts";

type Wire = "chat" | "responses" | "messages" | "content";

function crossed(from: Wire, body: JsonRecord, to: Wire | "interactions" | "converse", model = "m") {
  const { request, dropped } = wires[from].client.read({ model: "m", ...body }, { model: "m" });
  const rendered = wires[to].vendor.render(request, { model, defaultMaxTokens: 1_000 });
  return { body: rendered.body, dropped: [...dropped, ...rendered.dropped] };
}

const hi = [{ role: "user", content: "hi" }];
const messages = { max_tokens: 50, messages: hi };
const lark = { syntax: "lark", definition: "start: /a/" };
const oslo = { city: "Oslo", country: "NO" };
const search = { type: "web_search_20250305", name: "web_search" };
const userMessages = (...content: readonly JsonRecord[]) => ({ messages: [{ role: "user", content }] });
const jpg = { media_type: "image/jpg", data: "AA==" };
const call = { role: "model", parts: [{ functionCall: { id: "x", name: "f", args: {} } }] };
const result = (response: JsonRecord, id?: string) => ({
  contents: [
    { role: "user", parts: [{ text: "q" }] },
    call,
    { role: "user", parts: [{ functionResponse: { name: "f", response, ...(id === undefined ? {} : { id }) } }] },
  ],
});
const cited = { type: "url_citation", start_index: 0, end_index: 3, url: "https://a.example", title: "A" };
const { type: _, ...citation } = cited;
const citedHistory = [
  { role: "user", content: "q" },
  { role: "assistant", content: "see", annotations: [{ type: "url_citation", url_citation: citation }] },
  { role: "user", content: "and?" },
];

type Row = readonly [
  what: string,
  from: Wire,
  body: JsonRecord,
  to: Wire,
  rendered: JsonRecord,
  lost?: readonly string[],
];

const rows: readonly Row[] = [
  [
    "penalties of Open Responses",
    "responses",
    { input: "hi", presence_penalty: 0.5, frequency_penalty: 0.25 },
    "content",
    { generationConfig: { presencePenalty: 0.5, frequencyPenalty: 0.25 } },
  ],
  [
    "penalties that a vendor does not support",
    "responses",
    { input: "hi", presence_penalty: 0.5, frequency_penalty: 0.25 },
    "messages",
    {},
    ["presencePenalty", "frequencyPenalty"],
  ],
  [
    "a voice of OpenAI is not one of Google",
    "chat",
    { messages: hi, modalities: ["audio"], audio: { voice: "alloy" } },
    "content",
    { generationConfig: { responseModalities: ["AUDIO"] } },
    ["audio.voice"],
  ],
  [
    "Google's voices are capitalised",
    "chat",
    { messages: hi, modalities: ["audio"], audio: { voice: "kore" } },
    "content",
    { generationConfig: { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } } } },
  ],
  [
    "a grammar is nested in chat",
    "chat",
    { messages: hi, tools: [{ type: "custom", custom: { name: "g", format: { type: "grammar", grammar: lark } } }] },
    "responses",
    { tools: [{ type: "custom", name: "g", format: { type: "grammar", ...lark } }] },
  ],
  [
    "a grammar is flat in responses",
    "responses",
    { input: "hi", tools: [{ type: "custom", name: "g", format: { type: "grammar", ...lark } }] },
    "chat",
    { tools: [{ type: "custom", custom: { name: "g", format: { type: "grammar", grammar: lark } } }] },
  ],
  [
    "a forced search",
    "responses",
    { input: "hi", tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } },
    "messages",
    { tool_choice: { type: "tool", name: "web_search" } },
  ],
  [
    "a forced search, in the other direction",
    "messages",
    { ...messages, tools: [search], tool_choice: { type: "tool", name: "web_search" } },
    "responses",
    { tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } },
  ],
  [
    "a search that cannot be forced",
    "responses",
    { input: "hi", tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } },
    "content",
    { tools: [{ googleSearch: {} }] },
    ["toolChoice"],
  ],
  [
    "a search's location and domains",
    "messages",
    {
      ...messages,
      tools: [{ ...search, allowed_domains: ["a.example"], user_location: { type: "approximate", ...oslo } }],
    },
    "responses",
    {
      tools: [
        {
          type: "web_search",
          filters: { allowed_domains: ["a.example"] },
          user_location: { type: "approximate", ...oslo },
        },
      ],
    },
  ],
  [
    "a search's location and domains, in the other direction",
    "responses",
    {
      input: "hi",
      tools: [
        {
          type: "web_search",
          filters: { allowed_domains: ["a.example"] },
          user_location: { type: "approximate", ...oslo },
        },
      ],
    },
    "messages",
    { tools: [{ ...search, allowed_domains: ["a.example"], user_location: { type: "approximate", ...oslo } }] },
  ],
  [
    "a search's size and location in chat",
    "chat",
    {
      messages: hi,
      web_search_options: { search_context_size: "low", user_location: { type: "approximate", approximate: oslo } },
    },
    "responses",
    { tools: [{ type: "web_search", search_context_size: "low", user_location: { type: "approximate", ...oslo } }] },
  ],
  [
    "a search's maximum of uses cannot be expressed",
    "messages",
    { ...messages, tools: [{ ...search, max_uses: 3 }] },
    "responses",
    { tools: [{ type: "web_search" }] },
    ["tools.web-search.options"],
  ],
  [
    "the old name of a schema",
    "messages",
    { ...messages, output_format: { type: "json_schema", schema: { type: "object" } } },
    "chat",
    { response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } } },
  ],
  [
    "JSON without a schema, in words",
    "chat",
    { messages: hi, response_format: { type: "json_object" } },
    "messages",
    { system: "Answer with one JSON object and nothing else." },
    ["format"],
  ],
  [
    "image/jpg of messages",
    "messages",
    { max_tokens: 50, ...userMessages({ type: "image", source: { type: "base64", ...jpg } }) },
    "content",
    { contents: [{ parts: [{ inlineData: { mimeType: "image/jpeg" } }] }] },
  ],
  [
    "image/jpg of chat",
    "chat",
    userMessages({ type: "image_url", image_url: { url: "data:image/jpg;base64,AA==" } }),
    "messages",
    { messages: [{ content: [{ source: { media_type: "image/jpeg" } }] }] },
  ],
  [
    "image/jpg of content",
    "content",
    { contents: [{ parts: [{ inlineData: { mimeType: "image/jpg", data: "AA==" } }] }] },
    "messages",
    { messages: [{ content: [{ source: { media_type: "image/jpeg" } }] }] },
  ],
  [
    "a limit below the vendor's minimum",
    "chat",
    { messages: hi, max_tokens: 5 },
    "responses",
    { max_output_tokens: 16 },
    ["maxTokens"],
  ],
  [
    "one object in place of a list",
    "content",
    { contents: { parts: { text: "hi" } }, tools: { functionDeclarations: { name: "f" } } },
    "chat",
    { messages: hi, tools: [{ function: { name: "f" } }] },
  ],
  [
    "a detail above those of chat",
    "responses",
    {
      input: [
        {
          role: "user",
          content: [{ type: "input_image", image_url: "https://a.example/b.png", detail: "original" }],
        },
      ],
    },
    "chat",
    { messages: [{ content: [{ image_url: { detail: "high" } }] }] },
    ["image.detail"],
  ],
  [
    "a request for caching",
    "chat",
    { messages: [{ role: "system", content: "be" }, ...hi], prompt_cache_key: "k", prompt_cache_retention: "24h" },
    "messages",
    {
      system: [{ text: "be", cache_control: { type: "ephemeral", ttl: "1h" } }],
      messages: [{ content: [{ cache_control: { type: "ephemeral", ttl: "1h" } }] }],
    },
  ],
  [
    "a cache mark on the complete prompt",
    "messages",
    { ...messages, cache_control: { type: "ephemeral" } },
    "messages",
    { messages: [{ content: [{ cache_control: { type: "ephemeral" } }] }] },
  ],
  [
    "a result without an id",
    "content",
    result({ result: "plain" }),
    "messages",
    { messages: [{}, {}, { content: [{ tool_use_id: "x", content: "plain" }] }] },
  ],
  [
    "a result with another id",
    "content",
    result({ output: "plain" }, "other"),
    "chat",
    { messages: [{}, {}, { role: "tool", tool_call_id: "x", content: "plain" }] },
  ],
  [
    "instructions alone",
    "responses",
    { instructions: "say hi" },
    "messages",
    { messages: [{ role: "user", content: [{ text: "say hi" }] }] },
  ],
  [
    "annotations of the history",
    "chat",
    { messages: citedHistory },
    "responses",
    { input: [{}, { content: [{ annotations: [cited] }] }, {}] },
  ],
  [
    "annotations that cannot be expressed",
    "responses",
    {
      input: [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "see", annotations: [cited] }] },
      ],
    },
    "chat",
    { messages: [{ content: "see" }] },
    ["text.citations"],
  ],
  [
    "a picture's file name",
    "content",
    { contents: [{ parts: [{ inlineData: { displayName: "a.png", mimeType: "image/png", data: "AA==" } }] }] },
    "chat",
    {},
    ["contents[].parts[].inlineData.displayName"],
  ],
];

describe("fields that both wires have are converted", () => {
  for (const [what, from, body, to, rendered, lost = []] of rows)
    test(`${what}: ${from} to ${to}`, () => {
      const got = crossed(from, body, to, what.includes("grammar") ? "gpt-5" : "m");
      expect(got.body).toMatchObject(rendered);
      expect(got.dropped).toEqual(lost);
    });

  test("cache marks are not reported as dropped where the vendor caches automatically; the longest sets its retention", () => {
    const content = [{ type: "text", text: "hi", cache_control: { type: "ephemeral", ttl: "1h" } }];
    const body = { max_tokens: 50, messages: [{ role: "user", content }] };
    expect(crossed("messages", body, "chat", "gpt-5.2")).toMatchObject({
      body: { prompt_cache_retention: "24h" },
      dropped: [],
    });
    expect(crossed("messages", body, "responses", "openai/gpt-5.1-chat-latest")).toMatchObject({
      body: { prompt_cache_retention: "24h" },
      dropped: [],
    });
    for (const model of ["gpt-5-mini", "gpt-5.4-nano", "gpt-5-chat-latest", "gpt-5-search-api"])
      expect(crossed("messages", body, "chat", model).body).not.toHaveProperty("prompt_cache_retention");
    expect(crossed("messages", body, "chat", "other").dropped).toEqual(["text.cache"]);
  });

  test.each([
    ["gpt-5.4", "in_memory", []],
    ["gpt-5.5", undefined, ["cacheRetention"]],
    ["gpt-6-sol", undefined, ["cacheRetention"]],
  ])("%s gets the retention in_memory as %s", (model, retention, dropped) => {
    const request = { input: "hi", prompt_cache_retention: "in_memory" };
    const rendered = crossed("responses", request, "chat", model);
    expect([rendered.body["prompt_cache_retention"], rendered.dropped]).toEqual([retention, dropped]);
  });

  test.each(["chat", "responses"] as const)(
    "a breakpoint of %s becomes a mark for messages, and a breakpoint again",
    (from) => {
      const parts = (type: string) => [
        { type, text: "long", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } },
        { type, text: "new" },
      ];
      const body =
        from === "chat"
          ? { messages: [{ role: "user", content: parts("text") }] }
          : { input: [{ type: "message", role: "user", content: parts("input_text") }] };
      const marked = { type: "text", text: "long", cache_control: { type: "ephemeral", ttl: "1h" } };
      expect(crossed(from, body, "messages")).toMatchObject({
        body: { messages: [{ content: [marked, { type: "text", text: "new" }] }] },
        dropped: [],
      });
      const breakpoint = { text: "long", prompt_cache_breakpoint: { mode: "explicit" } };
      const content = [breakpoint, { text: "new" }];
      expect(crossed(from, body, "chat", "gpt-5.6-sol")).toMatchObject({
        body: { messages: [{ content }] },
        dropped: [],
      });
      expect(crossed(from, body, "responses", "gpt-6-sol")).toMatchObject({
        body: { input: [{ content }] },
        dropped: [],
      });
      expect(crossed(from, body, "content").dropped).toEqual(["text.cache"]);
    },
  );

  const mark = (ttl?: "1h") => ({ cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } });
  const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" } };
  const long = { prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } };
  const marked = {
    max_tokens: 50,
    system: [{ type: "text", text: "Be brief.", ...mark("1h") }],
    messages: [
      { role: "user", content: "Go" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "4", ...mark() }] },
    ],
  };

  test("marks on instructions and results become breakpoints, with a lifetime where the wire has several", () => {
    expect(crossed("messages", marked, "responses", "gpt-5.6-sol")).toEqual({
      body: {
        model: "gpt-5.6-sol",
        store: false,
        max_output_tokens: 50,
        input: [
          { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief.", ...long }] },
          { type: "message", role: "user", content: [{ type: "input_text", text: "Go" }] },
          expect.objectContaining({ type: "function_call" }),
          { type: "function_call_output", call_id: "t1", output: [{ type: "input_text", text: "4", ...breakpoint }] },
        ],
      },
      dropped: [],
    });
    expect(crossed("messages", marked, "chat", "gpt-5.6-sol")).toMatchObject({
      body: {
        prompt_cache_retention: "24h",
        messages: [
          { role: "system", content: [{ type: "text", text: "Be brief.", ...breakpoint }] },
          { role: "user", content: "Go" },
          { role: "assistant" },
          { role: "tool", content: [{ type: "text", text: "4", ...breakpoint }] },
        ],
      },
      dropped: [],
    });
  });

  test("marks without a counterpart at a vendor with breakpoints are named", () => {
    const tools = [{ name: "f", input_schema: { type: "object" }, ...mark() }];
    expect(crossed("messages", { ...marked, tools }, "responses", "gpt-5.6-sol").dropped).toEqual(["tools.cache"]);
  });

  test("a vendor gets the last four marks: others are named, and four leave no room for an automatic one", () => {
    const parts = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: "input_text", text: `${index}`, ...breakpoint }));
    const input = (count: number) => ({ input: [{ role: "user", content: parts(count) }] });
    const count = (body: object) => JSON.stringify(body).match(/cache_control|prompt_cache_breakpoint/g)?.length;
    const [six, four] = [crossed("responses", input(6), "messages"), crossed("responses", input(4), "messages")];
    expect([count(six.body), six.dropped, count(four.body), four.dropped]).toEqual([4, ["text.cache"], 4, []]);
    const withCacheKey = crossed("responses", { ...input(6), prompt_cache_key: "k" }, "messages");
    expect([count(withCacheKey.body), withCacheKey.dropped]).toEqual([2, ["text.cache"]]);
    const chat = crossed("responses", input(6), "chat", "gpt-5.6-sol");
    expect([count(chat.body), chat.dropped]).toEqual([4, ["text.cache"]]);
    expect(chat.body).toMatchObject({ prompt_cache_options: { mode: "explicit" } });
    expect(crossed("responses", input(3), "chat", "gpt-5.6-sol").body).not.toHaveProperty("prompt_cache_options");
  });

  test.each([
    [{ mode: "implicit", ttl: "12h" }, "messages", "m", [{ cache_control: { type: "ephemeral", ttl: "1h" } }], []],
    [{ mode: "implicit" }, "messages", "m", [{ cache_control: { type: "ephemeral" } }], []],
    [{ ttl: "12h" }, "chat", "gpt-5.6-sol", undefined, ["cacheRetention"]],
    [{ ttl: "30m" }, "chat", "gpt-5.6-sol", undefined, []],
    [{ ttl: "12h" }, "chat", "other", undefined, ["cacheRetention"]],
    [{ mode: "explicit" }, "messages", "m", "hi", []],
    [{ mode: "explicit" }, "chat", "other", undefined, ["cacheMode"]],
    [{ mode: "explicit" }, "content", "m", undefined, ["cacheMode"]],
  ] as const)("prompt_cache_options %j to %s of %s", (options, to, model, content, dropped) => {
    const got = crossed("responses", { input: "hi", prompt_cache_options: options }, to, model);
    expect(got.dropped).toEqual(dropped);
    if (to === "messages" && Array.isArray(content)) expect(got.body).toMatchObject({ messages: [{ content }] });
    expect(JSON.stringify(got.body)).not.toContain("prompt_cache");
  });

  test("prewarm fills Claude's cache without an answer", () => {
    const requestBody = {
      input: "hi",
      max_output_tokens: 500,
      prompt_cache_options: { prewarm: true },
      reasoning: { effort: "low" },
      text: { format: { type: "json_schema", name: "a", schema: { type: "object" } } },
    };
    for (const [model, thinking] of [
      ["claude-sonnet-4-5", undefined],
      ["claude-opus-5-5", { type: "adaptive", display: "omitted" }],
    ] as const) {
      const { body, dropped } = crossed("responses", requestBody, "messages", model);
      expect([body["max_tokens"], body["thinking"], body["output_config"], dropped]).toEqual([
        0,
        thinking,
        thinking && { effort: "low" },
        [],
      ]);
      expect(body).toMatchObject({ messages: [{ content: [{ cache_control: { type: "ephemeral" } }] }] });
    }
    const same = crossed("responses", requestBody, "responses", "gpt-5.6-sol");
    expect(same.body).toMatchObject({ prompt_cache_options: { prewarm: true } });
    const toOpenAi = crossed("messages", { ...messages, max_tokens: 0 }, "responses", "gpt-5.6-sol").body;
    expect(toOpenAi).toMatchObject({ prompt_cache_options: { prewarm: true } });
    const { client } = wires.responses;
    const { request } = client.read({ model: "m", ...requestBody });
    const context = { model: "m", requestBody, request, answerId: "resp_1", now: 1, inputTokens: 1 };
    const answer = { id: "", model: "m", createdAt: 1, choices: [{ parts: [], finish: "length" as const }] };
    expect(client.render(answer, context)).toMatchObject({ status: "completed", output: [], incomplete_details: null });
  });

  test.each([
    ["chat", "gpt-5.6-sol"],
    ["content", "gemini-3-flash"],
    ["interactions", "gemini-3-flash"],
    ["converse", "anthropic.claude-opus-5-v1:0"],
    ["responses", "gpt-5"],
  ] as const)("prewarm is refused over %s of %s, which would generate an answer", (to, model) => {
    const body = { input: "hi", prompt_cache_options: { prewarm: true } };
    const refused = expect.objectContaining({ code: "unsupported_parameter", param: "prewarm" });
    expect(() => crossed("responses", body, to, model)).toThrow(refused);
    expect(() => crossed("messages", { ...messages, max_tokens: 0 }, to, model)).toThrow(refused);
    const idle = { input: "hi", prompt_cache_options: { prewarm: false } };
    expect(() => crossed("responses", idle, to, model)).not.toThrow();
  });

  test.each(["chat", "responses", "messages", "content", "interactions", "converse"] as const)(
    "context management is dropped and named over %s",
    (to) => {
      const edits = { context_management: { edits: [{ type: "compact_20260112" }] } };
      const compaction = { context_management: [{ type: "compaction", compact_threshold: 1_000 }] };
      expect(crossed("messages", { ...messages, ...edits }, to).dropped).toContain("context_management");
      expect(crossed("responses", { input: "hi", ...compaction }, to).dropped).toContain("context_management");
    },
  );

  test.each(["chat", "responses", "content", "interactions", "converse"] as const)(
    "the binding of reasoning to its conversation is dropped and named over %s",
    (to) => {
      const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
      expect(crossed("messages", { ...messages, thinking }, to).dropped).toContain("thinking.block_binding");
    },
  );

  test("in explicit mode only the client's marks are cached, with their lifetime", () => {
    const content = [{ type: "input_text", text: "hi", prompt_cache_breakpoint: { mode: "explicit" } }];
    const body = {
      input: [
        { role: "user", content },
        { role: "assistant", content: "yes" },
        { role: "user", content: "more" },
      ],
      prompt_cache_key: "k",
      prompt_cache_options: { mode: "explicit", ttl: "12h" },
    };
    const marked = JSON.stringify(crossed("responses", body, "messages").body);
    expect(marked.match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/g)).toHaveLength(1);
    expect(marked.match(/cache_control/g)).toHaveLength(1);
    expect(crossed("responses", body, "chat", "gpt-5.6-sol")).toMatchObject({
      body: { prompt_cache_options: { mode: "explicit" } },
      dropped: ["cacheRetention"],
    });
  });

  test("tokens that are cached for twelve hours are a separate unit", () => {
    const usage = {
      input_tokens: 100,
      output_tokens: 5,
      input_tokens_details: { cache_write_tokens: 60, cache_write_tokens_details: { ttl_12h_tokens: 40 } },
    };
    expect(wires.responses.vendor.usage({ output: [], usage })).toEqual({
      inputTokens: 40,
      cacheWriteTokens: 20,
      cacheWrite1hTokens: 40,
      outputTokens: 5,
    });
  });

  test("audio cannot be expressed in responses", () => {
    const audio = userMessages({ type: "input_audio", input_audio: { data: "AA==", format: "wav" } });
    expect(() => crossed("chat", audio, "responses")).toThrow(
      expect.objectContaining({ code: "unsupported_parameter" }),
    );
  });
});
