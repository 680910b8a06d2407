import { afterAll, beforeAll, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator({ "x-goog-api-key": "key" });
});
afterAll(() => started[Symbol.asyncDispose]());

const path = "/gemini/v1beta/interactions";
const model = "gemini-4-argon";
const agent = "deep-research-preview-04-2026";
const post = (body: object) => started.post(path, body);
const tools = [{ type: "function", name: "weather", parameters: { type: "object" } }];

test("an echo of text, of contents and of steps, with its counts", async () => {
  const usage = { inputTokens: 1_000, cachedTokens: 600, outputTokens: 80, reasoningTokens: 30 };
  const { body } = await post({ model, input: simulate({ usage }) });
  expect(body).toMatchObject({
    model,
    status: "completed",
    steps: [{ type: "model_output", content: [{ type: "text", text: "You said: Hi" }] }],
    usage: { total_input_tokens: 1_000, total_cached_tokens: 600, total_output_tokens: 50, total_thought_tokens: 30 },
  });
  const content = [{ type: "text", text: "Hi" }];
  for (const input of [content, [{ type: "user_input", content }]])
    expect((await post({ model, input })).body.steps).toEqual(body.steps);
});

test("an answer with a call has a signed thought, and the next request must contain both", async () => {
  const first = await post({ model, tools, input: 'call weather {"city":"Oslo"}' });
  expect(first.body).toMatchObject({
    status: "requires_action",
    steps: [{ type: "thought" }, { arguments: { city: "Oslo" } }],
  });
  const [thought, call] = first.body.steps;
  const input = [
    { type: "user_input", content: "Weather?" },
    thought,
    call,
    { type: "function_result", call_id: call.id, name: "weather", result: "4°" },
  ];
  expect((await post({ model, tools, input })).body.steps).toMatchObject([{ content: [{ text: "4°" }] }]);
  const forged = [input[0], { ...thought, signature: "b3RoZXI=" }, call, input[3]];
  expect(await post({ model, tools, input: forged })).toMatchObject({ status: 400, body: { error: { code: 400 } } });
});

test("a stream of steps, whose last event does not repeat them", async () => {
  const frames = await started.stream(path, { model, stream: true, input: simulate({ reasoning: "Hm", text: "Ah" }) });
  const events = "interaction.created interaction.status_update step.start step.delta step.delta step.delta step.stop";
  const rest = "step.start step.delta step.delta step.stop interaction.completed done";
  expect(frames.map(({ event }) => event)).toEqual(`${events} ${rest}`.split(" "));
  expect(frames.at(-2)?.data.interaction).toMatchObject({ status: "completed", usage: { total_thought_tokens: 1 } });
  expect(frames.at(-2)?.data.interaction).not.toHaveProperty("steps");
});

test("the stream of an agent is resumed after an event, and ends when it is cancelled", async () => {
  const request = { agent, background: true, stream: true, input: simulate({ chunks: 20 }) };
  const all = await started.stream(path, request);
  const [created] = all;
  const id: string = created?.data.interaction.id;
  const after = `last_event_id=${all[4]?.data.event_id}`;
  const rest = await started.stream(`${path}/${id}?stream=true&${after}`);
  expect(rest).toEqual(all.slice(5));
  expect(await started.post(`${path}/${id}/cancel`, {})).toMatchObject({ body: { id, status: "cancelled" } });
  const ended = await started.stream(`${path}/${id}?stream=true&${after}`);
  expect(ended).toMatchObject([
    { data: { event_type: "interaction.completed", interaction: { status: "cancelled" } } },
  ]);
  expect((await started.post(`${path}/other/cancel`, {})).status).toBe(404);
});

test("an agent works in the background, and is polled", async () => {
  const { body } = await post({ agent, background: true, input: "Hi" });
  expect(body).toMatchObject({ agent, status: "in_progress" });
  const poll = async () =>
    await (await fetch(`${started.url}${path}/${body.id}`, { headers: { "x-goog-api-key": "key" } })).json();
  expect(await poll()).toMatchObject({ id: body.id, status: "in_progress" });
  expect(await poll()).toMatchObject({ id: body.id, status: "completed", usage: { total_output_tokens: 3 } });
});

test.each<[string, object, string]>([
  ["an unknown field", { model, input: "Hi", instructions: "x" }, "instructions"],
  ["a model and an agent", { model, agent, input: "Hi" }, "model"],
  ["an agent in the foreground", { agent, input: "Hi" }, "background"],
  [
    "an agent with a model's settings",
    { agent, background: true, input: "Hi", generation_config: {} },
    "generation_config",
  ],
  [
    "a thinking level that the model does not have",
    { model: "gemini-3.8-flash", input: "Hi", generation_config: { thinking_level: "minimal" } },
    "generation_config.thinking_level",
  ],
  ["background without store", { model, background: true, store: false, input: "Hi" }, "background"],
  [
    "a result without its call",
    { model, input: [{ type: "function_result", call_id: "c", result: "x" }] },
    "input[0].call_id",
  ],
  ["a model turn last", { model, input: [{ type: "model_output", content: "Hi" }] }, "input[0]"],
])("%s is refused", async (_, body, field) => {
  const refused = await post(body);
  expect(refused.status).toBe(400);
  expect(refused.body.error.details[0].fieldViolations[0].field).toBe(field);
});
