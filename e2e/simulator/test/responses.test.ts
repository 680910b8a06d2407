import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator({ authorization: "Bearer key" });
});
afterAll(() => started[Symbol.asyncDispose]());

const path = "/openai/v1/responses";
const requestBody = (input: unknown, more: object = {}) => ({ model: "m", input, ...more });
const post = (body: unknown) => started.post(path, body);
const weather = { type: "function", name: "weather", parameters: null, strict: false };
const usualSettings = { reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] };
const itemTypes = (output: readonly { type: string }[]) => output.map(({ type }) => type);

test("an echo, with its token counts", async () => {
  expect((await post(requestBody("Hello"))).body).toMatchObject({
    object: "response",
    status: "completed",
    output: [{ type: "message", status: "completed", content: [{ type: "output_text", text: "You said: Hello" }] }],
    usage: { input_tokens: 2, output_tokens: 4, total_tokens: 6, output_tokens_details: { reasoning_tokens: 0 } },
  });
});

test("a stream has every item in order, numbered without gaps, and ends with the complete response", async () => {
  const toolCalls = [
    { name: "weather", arguments: { city: "Oslo" } },
    { name: "grep", arguments: "x y" },
  ];
  const frames = await started.stream(path, {
    ...requestBody(simulate({ reasoning: "Hm", text: "Ah", toolCalls })),
    ...usualSettings,
    tools: [weather, { type: "custom", name: "grep" }],
    stream: true,
  });
  expect(frames.map(({ data }) => data.sequence_number)).toEqual(frames.map((_, at) => at));
  expect(frames.every(({ event, data }) => event === data.type)).toBe(true);
  const types = frames.map(({ event }) => event?.replace("response.", ""));
  expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
    "created",
    "in_progress",
    "output_item.added",
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
    "output_item.done",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
    "output_item.added",
    "custom_tool_call_input.delta",
    "custom_tool_call_input.done",
    "output_item.done",
    "completed",
  ]);
  const response = frames.at(-1)?.data.response;
  expect(response.output).toEqual(
    frames.filter(({ event }) => event === "response.output_item.done").map(({ data }) => data.item),
  );
  expect(itemTypes(response.output)).toEqual(["reasoning", "message", "function_call", "custom_tool_call"]);
});

test("the official SDK reads the stream", async () => {
  const client = new OpenAI({ baseURL: `${started.url}/openai/v1`, apiKey: "k", maxRetries: 0 });
  const final = await client.responses.stream({ model: "m", input: "Hello" }).finalResponse();
  expect(final.output_text).toBe("You said: Hello");
});

test("the result of a tool is accepted with all items and encrypted reasoning, or with the id of the response", async () => {
  const question = requestBody("call weather {}", { tools: [weather], ...usualSettings });
  const first = (await post(question)).body;
  expect(itemTypes(first.output)).toEqual(["reasoning", "function_call"]);
  const result = { type: "function_call_output", call_id: first.output[1].call_id, output: "4 degrees" };
  const userItem = { role: "user", content: "call weather {}" };
  const byItems = await post(requestBody([userItem, ...first.output, result], { store: false }));
  expect(byItems.body.output[0].content[0].text).toBe("4 degrees");
  const byId = await post(requestBody([result], { previous_response_id: first.id }));
  expect(byId.body.output[0].content[0].text).toBe("4 degrees");
  const foreign = await started.post(path, requestBody([result], { previous_response_id: first.id }), {
    authorization: "Bearer other",
  });
  expect(foreign).toMatchObject({ status: 400, body: { error: { code: "previous_response_not_found" } } });
  const forged = { ...first.output[0], encrypted_content: "gAAAAforged" };
  expect(await post(requestBody([userItem, forged, first.output[1], result]))).toMatchObject({
    status: 400,
    body: { error: { param: "input[1].encrypted_content", code: "invalid_encrypted_content" } },
  });
});

test("a trigger at the end of the input is answered with a compaction only", async () => {
  const { body } = await post(
    requestBody([{ role: "user", content: "Build me a parser" }, { type: "compaction_trigger" }]),
  );
  expect(body.output).toMatchObject([{ type: "compaction" }]);
  const next = await post(requestBody([...body.output, { role: "user", content: "Go on" }]));
  expect(next.body.output).toMatchObject([{ content: [{ text: "You said: Go on" }] }]);
});

test("a compaction replaces the previous turns", async () => {
  const { body } = await started.post(`${path}/compact`, requestBody("Build me a parser"));
  expect(body).toMatchObject({ object: "response.compaction", output: [{ role: "user" }, { type: "compaction" }] });
  const next = await post(requestBody([...body.output, { role: "user", content: "Go on" }]));
  expect(next.body.output[0].content[0].text).toBe("You said: Go on");
  expect(next.body.usage.input_tokens).toBeGreaterThan(8);
});

test("a prompt selects an image, an incomplete answer or an error", async () => {
  const drawn = (await post(requestBody(simulate({ image: true })))).body;
  expect(itemTypes(drawn.output)).toEqual(["message", "image_generation_call"]);
  const cut = (await post(requestBody(simulate({ text: "x".repeat(100) }), { max_output_tokens: 16 }))).body;
  expect(cut).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  const frames = await started.stream(path, requestBody(simulate({ errorAfterChunks: 1 }), { stream: true }));
  expect(frames.at(-1)).toMatchObject({ event: "error", data: { sequence_number: frames.length - 1 } });
});

const call = { type: "function_call", call_id: "c", name: "weather", arguments: "{}" };

test.each<[string, object, string, string, number?]>([
  ["an unknown field", { messages: [] }, "messages", "unknown_parameter"],
  ["no input", { input: undefined }, "input", "missing_required_parameter"],
  ["a small limit", { max_output_tokens: 5 }, "max_output_tokens", "invalid_value"],
  ["the field's name in chat", { response_format: {} }, "response_format", "unknown_parameter"],
  ["stop sequences", { stop: ["x"] }, "stop", "unknown_parameter"],
  [
    "tools in the form of chat",
    { tools: [{ type: "function", function: {} }] },
    "tools[0].name",
    "missing_required_parameter",
  ],
  ["an unknown item", { input: [{ type: "thing" }] }, "input[0].type", "invalid_value"],
  [
    "output text of a user",
    { input: [{ role: "user", content: [{ type: "output_text", text: "x" }] }] },
    "input[0].content[0].type",
    "invalid_value",
  ],
  ["an item's id of another kind", { input: [{ ...call, id: "call_1" }] }, "input[0].id", "invalid_value"],
  ["a call without a result", { input: [call] }, "input", "invalid_value"],
  [
    "a result without a call",
    { input: [{ type: "function_call_output", call_id: "c", output: "" }] },
    "input[0]",
    "invalid_value",
  ],
  [
    "an unknown previous response",
    { previous_response_id: "resp_1" },
    "previous_response_id",
    "previous_response_not_found",
  ],
  [
    "a compaction made elsewhere",
    { input: [{ type: "compaction", encrypted_content: "x" }] },
    "input[0].encrypted_content",
    "invalid_compaction",
  ],
  [
    "reasoning that was not stored",
    { input: [{ type: "reasoning", id: "rs_0", summary: [] }] },
    "input[0].encrypted_content",
    "invalid_value",
    404,
  ],
])("refused: %s", async (_, more, param, code, status = 400) => {
  expect(await post({ ...requestBody("Hi"), ...more })).toMatchObject({ status, body: { error: { param, code } } });
});

test("text is sent as a refusal", async () => {
  const { body } = await post(requestBody(simulate({ refusal: true, text: "No." })));
  expect(body.output).toMatchObject([{ type: "message", content: [{ type: "refusal", refusal: "No." }] }]);
});
