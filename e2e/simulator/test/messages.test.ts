import { afterAll, beforeAll, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator({ "x-api-key": "key", "anthropic-version": "2023-06-01" });
});
afterAll(() => started[Symbol.asyncDispose]());

const path = "/anthropic/v1/messages";
const user = (content: unknown) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const messageBody = (content: unknown, more: object = {}) => ({
  model: "m",
  max_tokens: 4_000,
  messages: [user(content)],
  ...more,
});
const post = (body: unknown) => started.post(path, body);
const weather = { name: "weather", input_schema: { type: "object", properties: { city: { type: "string" } } } };
const thinking = { type: "enabled", budget_tokens: 1_024 };

test("an answer repeats the prompt, with the type and size of images and files", async () => {
  const content = [
    { type: "text", text: "Look: " },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    { type: "document", title: "q3.txt", source: { type: "text", media_type: "text/plain", data: "abc" } },
  ];
  const answer = await post(messageBody(content, { system: "Be brief." }));
  expect(answer.headers.get("request-id")).toMatch(/^req_/);
  expect(answer.body).toMatchObject({
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "You said: Look: [image 12 characters][file q3.txt 3 characters]" }],
    stop_reason: "end_turn",
    stop_sequence: null,
  });
});

test("token counts: cached tokens are not part of the input tokens", async () => {
  const usage = { inputTokens: 50, cachedTokens: 20, cacheWriteTokens: 5 };
  expect((await post(messageBody(simulate({ usage, text: "Hm" })))).body.usage).toMatchObject({
    input_tokens: 25,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 5,
    cache_creation: { ephemeral_5m_input_tokens: 5 },
    output_tokens: 1,
  });
  const { max_tokens: _, ...body } = messageBody("Hello");
  expect((await started.post(`${path}/count_tokens`, body)).body).toEqual({ input_tokens: 2 });
});

test("a stream: consecutive blocks, a ping, the end", async () => {
  const toolCalls = [{ name: "weather", arguments: { city: "Oslo" } }];
  const frames = await started.stream(path, {
    ...messageBody(simulate({ reasoning: "Hm", text: "Ah", toolCalls }), { thinking, tools: [weather] }),
    stream: true,
  });
  expect(frames.every(({ event, data }) => event === data.type)).toBe(true);
  const types = frames.map(({ event, data }) => data.delta?.type ?? data.content_block?.type ?? event);
  expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
    "message_start",
    "thinking",
    "ping",
    "thinking_delta",
    "signature_delta",
    "content_block_stop",
    "text",
    "text_delta",
    "content_block_stop",
    "tool_use",
    "input_json_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(frames.map(({ data }) => data.delta?.partial_json ?? "").join("")).toBe('{"city":"Oslo"}');
  expect(frames.at(-2)?.data).toMatchObject({ delta: { stop_reason: "tool_use" }, usage: { output_tokens: 16 } });
  expect(frames[0]?.data.message.usage).toMatchObject({ output_tokens: 1 });
});

test("a tool round with signed thinking; a signature is valid only for its thinking", async () => {
  const question = messageBody("call weather {}", { thinking, tools: [weather] });
  const first = (await post(question)).body;
  const [thought, use] = first.content;
  expect(first).toMatchObject({ stop_reason: "tool_use", content: [{ type: "thinking" }, { type: "tool_use" }] });
  const results = user([{ type: "tool_result", tool_use_id: use.id, content: [{ type: "text", text: "4 degrees" }] }]);
  const go = (...content: unknown[]) =>
    post({ ...question, messages: [...question.messages, assistant(...content), results] });
  expect((await go(thought, use)).body.content.at(-1).text).toBe("4 degrees");
  const refusals = [
    await go({ ...thought, thinking: "Something else" }, use),
    await go({ ...thought, signature: "EqQB" }, use),
    await go(use),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400]);
  expect(refusals[0]?.body.error.message).toContain("messages.1.content.0.signature");
});

test("thinking may be redacted or omitted, and may be sent back in this form", async () => {
  for (const [asking, behaviour] of [
    [{ thinking }, { reasoning: "secret", redactedReasoning: true }],
    [{ thinking: { ...thinking, display: "omitted" } }, { reasoning: "secret" }],
  ]) {
    const { content } = (await post(messageBody(simulate(behaviour ?? {}), asking))).body;
    expect(JSON.stringify(content)).not.toContain("secret");
    const messages = [user("Hi"), assistant(...content), user("Go on")];
    expect((await post({ ...messageBody(""), messages })).status).toBe(200);
  }
});

test("stop reasons and errors", async () => {
  expect((await post(messageBody("Hello", { stop_sequences: ["said"] }))).body).toMatchObject({
    stop_reason: "stop_sequence",
    stop_sequence: "said",
    content: [{ text: "You " }],
  });
  expect((await post(messageBody("Hello", { max_tokens: 2 }))).body.stop_reason).toBe("max_tokens");
  expect((await post(messageBody(simulate({ finish: "content_filter" })))).body.stop_reason).toBe("refusal");
  expect(await post(messageBody(simulate({ status: 529 })))).toMatchObject({
    status: 529,
    body: { type: "error", error: { type: "overloaded_error" }, request_id: expect.stringMatching(/^req_/) },
  });
  const frames = await started.stream(path, { ...messageBody(simulate({ errorAfterChunks: 1 })), stream: true });
  expect(frames.at(-1)).toMatchObject({ event: "error", data: { type: "error", error: { type: "overloaded_error" } } });
});

test.each<[string, Record<string, string>, number]>([
  ["no key", { "x-api-key": "", authorization: "Bearer k" }, 401],
  ["an invalid key", { "x-api-key": "bad-k" }, 401],
  ["no version", { "anthropic-version": "" }, 400],
  ["a version that is not a date", { "anthropic-version": "latest" }, 400],
])("a request with %s is refused", async (_, headers, status) => {
  expect(await started.post(path, messageBody("Hi"), headers)).toMatchObject({ status, body: { type: "error" } });
});

const use = { type: "tool_use", id: "t1", name: "weather", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "4" };

const citedText = { type: "text", text: "x", citations: [{ type: "char_location" }] };
const file = { type: "document", source: { type: "text", media_type: "text/plain", data: "abc" } };
const searchResult = { type: "search_result", source: "s", title: "t", content: [citedText] };
test.each<[string, object, string]>([
  ["a sampling setting at its default", { temperature: 1 }, "temperature: Extra inputs are not permitted"],
  [
    "a document in an assistant's message",
    { messages: [user("Hi"), assistant(file), user("Well?")] },
    "messages.1.content.0: ",
  ],
  ["citations of the user's text", { messages: [user([citedText])] }, "messages.0.content.0.citations: "],
  ["citations in a search result", { messages: [user([searchResult])] }, "messages.0.content.0.citations: "],
])("version 2026-10-21 refuses %s, which the version before accepts", async (_, more, start) => {
  const body = { ...messageBody("Hi"), ...more };
  const version = { "anthropic-version": "2026-10-21" };
  expect((await post(body)).status).toBe(200);
  const refusals = [await started.post(path, body, version)];
  const { max_tokens: _max, temperature: _temperature, ...counted } = body as Record<string, unknown>;
  if (!("temperature" in more)) refusals.push(await started.post(`${path}/count_tokens`, counted, version));
  for (const refused of refusals) {
    expect(refused).toMatchObject({ status: 400, body: { error: { type: "invalid_request_error" } } });
    expect(refused.body.error.message.slice(0, start.length)).toBe(start);
  }
  expect((await started.post(path, messageBody("Hi"), version)).status).toBe(200);
});

test.each<[string, object, string]>([
  ["no max_tokens", { max_tokens: undefined }, "max_tokens: "],
  ["an unknown field", { n: 1 }, "n: "],
  ["a null", { temperature: null }, "temperature: "],
  ["a temperature above 1", { temperature: 1.5 }, "temperature: "],
  ["a budget above max_tokens", { max_tokens: 1_024, thinking }, "thinking.budget_tokens: "],
  ["a small budget", { thinking: { type: "enabled", budget_tokens: 1_023 } }, "thinking.budget_tokens: "],
  ["thinking at another temperature", { thinking, temperature: 0.5 }, "temperature: "],
  ["thinking with a forced call", { thinking, tools: [weather], tool_choice: { type: "any" } }, "tool_choice: "],
  [
    "a budget for the newest models",
    { model: "claude-opus-4-7", thinking },
    '"thinking.type.enabled" is not supported',
  ],
  ["sampling settings for the newest models", { model: "claude-opus-5", temperature: 1 }, "temperature: "],
  [
    "disabled thinking for a model that always thinks",
    { model: "claude-opus-5-5", thinking: { type: "disabled" } },
    '"thinking.type.disabled" is not supported',
  ],
  [
    "a forced call for the newest models",
    { model: "claude-sonnet-5-5", tools: [weather], tool_choice: { type: "any" } },
    "tool_choice: ",
  ],
  ["a role of another wire", { messages: [{ role: "tool", content: "x" }] }, "messages.0.role: "],
  ["only a system message", { messages: [{ role: "system", content: "x" }] }, "messages.0.role: "],
  ["the assistant first", { messages: [assistant({ type: "text", text: "x" })] }, "messages.0.role: "],
  ["empty words", { messages: [user([{ type: "text", text: "" }])] }, "messages.0.content.0.text: "],
  ["no words", { messages: [user("")] }, "messages.0.content: "],
  ["a result without a call", { messages: [user([result])] }, "messages.0.content.0: "],
  ["a call without a result", { messages: [user("Hi"), assistant(use), user("Well?")] }, "messages.2: "],
  ["a call at the end", { messages: [user("Hi"), assistant(use)] }, "messages.1: "],
  [
    "text before a result",
    { messages: [user("Hi"), assistant(use), user([{ type: "text", text: "x" }, result])] },
    "messages.2.content.1: ",
  ],
  [
    "a tool of the chat wire",
    { tools: [{ type: "function", function: {} }] },
    "tools.0: Input tag 'function' found using 'type' does not match any of the expected tags: 'bash_20241022', ",
  ],
  ["a version of a tool that is not there", { tools: [{ type: "web_search_20260101" }] }, "tools.0: Input tag "],
  ["a tool of a beta feature", { tools: [{ type: "advisor_20260301" }] }, "tools.0: Input tag "],
  [
    "a setting of a beta feature",
    { thinking: { type: "adaptive", block_binding: {} } },
    "thinking.block_binding: Extra inputs are not permitted",
  ],
  ["a tool without a schema", { tools: [{ name: "f" }] }, "tools.0.input_schema: "],
  ["a schema that is not an object's", { tools: [{ name: "f", input_schema: {} }] }, "tools.0.input_schema.type: "],
  ["a name with invalid characters", { tools: [{ ...weather, name: "a.b" }] }, "tools.0.name: "],
  ["a choice of an unknown tool", { tools: [weather], tool_choice: { type: "tool", name: "f" } }, "tool_choice.name: "],
  ["a blank stop sequence", { stop_sequences: [" "] }, "stop_sequences.0: "],
  [
    "a picture of another type",
    { messages: [user([{ type: "image", source: { type: "base64", media_type: "image/bmp", data: "AAAA" } }])] },
    "messages.0.content.0.source.media_type: ",
  ],
  [
    "signed thinking of another vendor",
    { messages: [user("Hi"), assistant({ type: "redacted_thinking", data: "x" }), user("Go on")] },
    "messages.1.content.0.data: ",
  ],
])("refused: %s", async (_, more, start) => {
  const { status, body } = await post({ ...messageBody("Hi"), ...more });
  expect(status).toBe(400);
  expect(body).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  expect(body.error.message.slice(0, start.length)).toBe(start);
});
