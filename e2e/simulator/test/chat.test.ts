import { afterAll, beforeAll, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator({ authorization: "Bearer key" });
});
afterAll(() => started[Symbol.asyncDispose]());

const path = "/openai/v1/chat/completions";
const user = (content: unknown) => ({ role: "user", content });
const requestBody = (content: unknown, more: object = {}) => ({ model: "m", messages: [user(content)], ...more });
const post = (body: unknown) => started.post(path, body);
const weather = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};
const grep = { type: "custom", custom: { name: "grep" } };
const toolCall = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } };

test("tools are called as the prompt requests, and their results are answered", async () => {
  const words = 'call weather {"city":"Os{l}o"} and call grep {x} and call nothing {}';
  const { body } = await post(requestBody(words, { tools: [weather, grep] }));
  expect(body.choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: {
      content: null,
      tool_calls: [
        { type: "function", function: { name: "weather", arguments: '{"city":"Os{l}o"}' } },
        { type: "custom", custom: { name: "grep", input: "{x}" } },
      ],
    },
  });
  const { tool_calls: calls } = body.choices[0].message;
  const messages = [
    user(words),
    body.choices[0].message,
    ...calls.map(({ id }: { id: string }, at: number) => ({ role: "tool", tool_call_id: id, content: `result ${at}` })),
  ];
  expect((await post({ model: "m", messages, tools: [weather] })).body.choices[0].message.content).toBe(
    "result 0\nresult 1",
  );
});

test.each<[string, object, readonly string[]]>([
  ["none", { tool_choice: "none" }, []],
  ["at most one", { parallel_tool_calls: false }, ["weather"]],
  ["a named one", { tool_choice: { type: "custom", custom: { name: "grep" } } }, ["grep"]],
])("calls follow the tool choice: %s", async (_, more, names) => {
  const { body } = await post(requestBody("call weather {} call grep", { tools: [weather, grep], ...more }));
  const calls: readonly { function?: { name: string }; custom?: { name: string } }[] =
    body.choices[0].message.tool_calls ?? [];
  expect(calls.map(({ function: called, custom }) => (called ?? custom)?.name)).toEqual(names);
});

test("a required call has arguments that match its schema", async () => {
  const { body } = await post(requestBody("Hi", { tools: [weather], tool_choice: "required" }));
  expect(JSON.parse(body.choices[0].message.tool_calls[0].function.arguments)).toEqual({ city: "words" });
});

test("reasoning, images, token counts", async () => {
  const usage = { inputTokens: 50, cachedTokens: 20, cacheWriteTokens: 5, outputTokens: 9, reasoningTokens: 4 };
  const { body } = await post(requestBody(simulate({ reasoning: "Hm.", text: "Ah.", image: true, usage })));
  expect(body).toMatchObject({
    choices: [{ message: { content: "Ah.", reasoning_content: "Hm.", images: [{ type: "image_url" }] } }],
    usage: {
      prompt_tokens: 50,
      completion_tokens: 9,
      total_tokens: 59,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
  });
  expect((await post(requestBody("Hi", { reasoning_effort: "low" }))).body.choices[0].message.reasoning_content).toBe(
    "Thinking about: Hi",
  );
});

test("answers match the schema, length, stop sequences and number that were requested", async () => {
  const schema = {
    type: "object",
    properties: { kind: { enum: ["a", "b"] }, sizes: { type: "array", items: { $ref: "#/$defs/size" } } },
    required: ["kind", "sizes"],
    additionalProperties: false,
    $defs: { size: { type: "integer", minimum: 3 } },
  };
  const format = { type: "json_schema", json_schema: { name: "n", strict: true, schema } };
  const fitting = await post(requestBody("Hi", { response_format: format }));
  expect(JSON.parse(fitting.body.choices[0].message.content)).toEqual({ kind: "a", sizes: [3] });
  expect((await post(requestBody("Hello", { max_tokens: 2 }))).body.choices[0]).toMatchObject({
    message: { content: "You said" },
    finish_reason: "length",
  });
  const two = await post(requestBody("Hello", { stop: ["said", "lo"], n: 2, logprobs: true, top_logprobs: 2 }));
  expect(two.body.choices).toHaveLength(2);
  expect(two.body.choices[1]).toMatchObject({ index: 1, message: { content: "You " }, finish_reason: "stop" });
  expect(two.body.choices[1].logprobs.content[0]).toMatchObject({ token: "You ", bytes: [89, 111, 117, 32] });
  expect(two.body.choices[1].logprobs.content[0].top_logprobs).toHaveLength(2);
});

test("a stream has the role, reasoning, text and calls of every choice, then the finish reasons", async () => {
  const toolCalls = [{ name: "weather", arguments: { city: "Oslo" } }];
  const frames = await started.stream(
    path,
    requestBody(simulate({ reasoning: "Hm", text: "Ah", toolCalls }), { stream: true, n: 2, logprobs: true }),
  );
  expect(frames.at(-1)?.data).toBe("[DONE]");
  const choices = frames.slice(0, -1).map(({ data }) => data.choices[0]);
  for (const index of [0, 1]) {
    const ofIndex = choices.filter((choice) => choice.index === index);
    const joined = (pick: (delta: any) => string | undefined) => ofIndex.map(({ delta }) => pick(delta) ?? "").join("");
    expect(ofIndex[0].delta.role).toBe("assistant");
    expect(joined((delta) => delta.reasoning_content)).toBe("Hm");
    expect(joined((delta) => delta.content)).toBe("Ah");
    expect(joined((delta) => delta.tool_calls?.[0].function?.arguments)).toBe('{"city":"Oslo"}');
    expect(ofIndex.at(-1)).toMatchObject({ delta: {}, finish_reason: "tool_calls" });
    expect(ofIndex.flatMap(({ logprobs }) => logprobs?.content ?? [])).not.toEqual([]);
  }
});

test("Azure's URLs: the deployment is the model, and the key has a separate header", async () => {
  const azure = `/openai/deployments/my-model/chat/completions`;
  const { model: _, ...body } = requestBody("Hi");
  const answer = await started.post(`${azure}?api-version=2024-10-21`, body, { "api-key": "k" });
  expect(answer.body).toMatchObject({ model: "my-model", choices: [{ message: { content: "You said: Hi" } }] });
  expect((await started.post(azure, body, { "api-key": "k" })).status).toBe(404);
  expect((await started.post(path, requestBody("Hi"), { "api-key": "bad-k" })).status).toBe(401);
});

const toolAnswer = (id: string) => ({ role: "tool", tool_call_id: id, content: "4" });
const callingTurn = { role: "assistant", tool_calls: [toolCall] };

test.each<[string, object, string, string]>([
  ["an unknown field", { top_q: 3 }, "top_q", "unknown_parameter"],
  ["no model", { model: undefined }, "model", "missing_required_parameter"],
  ["no messages", { messages: [] }, "messages", "invalid_value"],
  ["a wrong type", { temperature: "1" }, "temperature", "invalid_type"],
  ["out of range", { temperature: 3 }, "temperature", "invalid_value"],
  [
    "an effort that only other models support",
    { model: "gpt-6-astra", reasoning_effort: "none" },
    "reasoning_effort",
    "unsupported_value",
  ],
  [
    "an effort in the form of responses",
    { model: "gpt-5.6", reasoning_effort: "max" },
    "reasoning_effort",
    "unsupported_value",
  ],
  ["sampling with reasoning", { model: "gpt-5.6", temperature: 0.2 }, "temperature", "unsupported_parameter"],
  ["five stops", { stop: ["1", "2", "3", "4", "5"] }, "stop", "invalid_value"],
  ["an unknown role", { messages: [{ role: "robot", content: "" }] }, "messages[0].role", "invalid_value"],
  ["an unknown part", { messages: [user([{ type: "smell" }])] }, "messages[0].content[0].type", "invalid_value"],
  ["no parts", { messages: [user([])] }, "messages[0].content", "invalid_value"],
  [
    "a field of another vendor in a message",
    { messages: [{ ...user("Hi"), cache_control: {} }] },
    "messages[0].cache_control",
    "unknown_parameter",
  ],
  [
    "an invalid picture",
    { messages: [user([{ type: "image_url", image_url: { url: "data:image/png;base64,!!" } }])] },
    "messages[0].content[0].image_url.url",
    "invalid_value",
  ],
  [
    "an unknown file",
    { messages: [user([{ type: "file", file: { file_id: "f" } }])] },
    "messages[0].content[0].file.file_id",
    "invalid_value",
  ],
  ["a result without a call", { messages: [toolAnswer("c1")] }, "messages[0].tool_call_id", "invalid_value"],
  [
    "a result of another call",
    { messages: [callingTurn, toolAnswer("c2")] },
    "messages[1].tool_call_id",
    "invalid_value",
  ],
  ["a call without a result", { messages: [callingTurn, user("Hi")] }, "messages[1]", "invalid_value"],
  [
    "a search by a model without search",
    { model: "gpt-5.1", web_search_options: {} },
    "web_search_options",
    "unknown_parameter",
  ],
  ["an empty turn", { messages: [{ role: "assistant" }] }, "messages[0].content", "invalid_value"],
  [
    "a name with invalid characters",
    { tools: [{ type: "function", function: { name: "a.b" } }] },
    "tools[0].function.name",
    "invalid_value",
  ],
  ["a choice without tools", { tool_choice: "auto" }, "tool_choice", "invalid_value"],
  [
    "a choice of an unknown tool",
    { tools: [weather], tool_choice: { type: "function", function: { name: "f" } } },
    "tool_choice",
    "invalid_value",
  ],
  ["stream options without a stream", { stream_options: { include_usage: true } }, "stream_options", "invalid_value"],
  ["top_logprobs without logprobs", { top_logprobs: 1 }, "top_logprobs", "invalid_value"],
  ["JSON that no message mentions", { response_format: { type: "json_object" } }, "messages", "invalid_value"],
  [
    "a schema that is not strict",
    { response_format: { type: "json_schema", json_schema: { name: "n", strict: true, schema: { type: "object" } } } },
    "response_format",
    "invalid_schema",
  ],
])("refused: %s", async (_, more, param, code) => {
  expect(await post({ ...requestBody("Hi"), ...more })).toMatchObject({
    status: 400,
    body: { error: { type: "invalid_request_error", param, code } },
  });
});

test("fields that only other vendors of the wire accept are refused for OpenAI's models", async () => {
  const thoughtful = { role: "assistant", content: "Hi", reasoning_content: "Hm" };
  for (const [model, status] of [
    ["gpt-5.1", 400],
    ["open-model", 200],
  ] as const) {
    expect((await post(requestBody("Hi", { model, top_k: 3 }))).status).toBe(status);
    expect((await post({ model, messages: [thoughtful, user("Hi")] })).status).toBe(status);
  }
});

test("text is sent as a refusal", async () => {
  const { body } = await post(requestBody(simulate({ refusal: true, text: "No." })));
  expect(body.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: null, refusal: "No." } });
});

test("an image is generated on request, by other vendors' models", async () => {
  const modalities = { modalities: ["text", "image"] };
  const { body } = await post(
    requestBody("Draw", { model: "open-model", ...modalities, image_config: { aspect_ratio: "1:1" } }),
  );
  expect(body.choices[0].message.images).toHaveLength(1);
  expect((await post(requestBody("Draw", { model: "gpt-5.1", ...modalities }))).status).toBe(400);
});
