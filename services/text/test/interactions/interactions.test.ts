import type { GoogleGenAI, Interactions } from "@google/genai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { cancelWaitMs, googleAt, keyOf, openaiAt, price, settled, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";

const agent = "deep-research-preview-04-2026";
const interactionsModel = "interactions";
let area: Area;
beforeAll(async () => {
  const chat = { kind: "chat", price };
  const channel = (id: string, model: string) => ({
    id,
    provider: "gemini",
    baseUrl: `\${SIMULATOR_URL}/at/${id}/gemini`,
    keys: [`key-of-${id}`],
    models: { [id]: model },
  });
  area = await startText({
    limits: { text: { responses: { background: { cancelWaitMs } } } },
    accounts: ["other", "payer"],
    models: { [interactionsModel]: chat, [agent]: chat },
    channels: [channel(interactionsModel, "gemini-4-argon"), channel(agent, agent)],
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

const of = (account: string): GoogleGenAI["interactions"] => googleAt(area.url, keyOf(account)).interactions;
const mine = () => of("demo");
/** Returns a prompt whose answer is streamed in many slow pieces. */
const slowly = (chunks: number) => `Hi {{simulate: {"chunks": ${chunks}, "chunkDelayMs": 20}}}`;
const sentTo = async (model: string): Promise<any> =>
  JSON.parse((await area.simulator.requests(model)).findLast(({ body }) => body !== "")?.body ?? "{}");
const ended = (id: string) =>
  until("the interaction to be over", async () => {
    const interaction = await mine().get(id);
    return interaction.status !== "in_progress" && interaction;
  });

async function eventsOf(
  stream: AsyncIterable<Interactions.InteractionSSEEvent>,
): Promise<Interactions.InteractionSSEEvent[]> {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  return await call.then(
    () => new Error("it was answered"),
    (error: unknown) => error,
  );
}

const textOf = (events: readonly Interactions.InteractionSSEEvent[]) =>
  events
    .flatMap((event) => (event.event_type === "step.delta" && event.delta.type === "text" ? [event.delta.text] : []))
    .join("");

describe.each([interactionsModel, "chat"])("Google's SDK over %s", (model) => {
  test("an interaction is answered, stored, continued, and deleted", async () => {
    const first = await mine().create({ model, input: "My name is Ada." });
    expect(first).toMatchObject({ model, status: "completed", output_text: "You said: My name is Ada." });
    expect(first.id).toMatch(/^int_/);
    expect(await mine().get(first.id)).toMatchObject({ id: first.id, steps: first.steps, status: first.status });
    expect(await mine().get(first.id, { include_input: true })).toMatchObject({ input: [{ type: "user_input" }] });
    const next = await mine().create({ model, input: "Who am I?", previous_interaction_id: first.id });
    expect(next).toMatchObject({ previous_interaction_id: first.id, output_text: "You said: Who am I?" });
    const sent = await sentTo(model);
    expect(JSON.stringify(sent)).toContain("My name is Ada.");
    expect(sent).not.toHaveProperty("previous_interaction_id");
    if (model === interactionsModel) expect(sent.store).toBe(false);
    expect(await failureOf(of("other").get(first.id))).toMatchObject({ status: 404 });
    await mine().delete(first.id);
    expect(await failureOf(mine().get(first.id))).toMatchObject({ status: 404 });
    expect(await failureOf(mine().create({ model, input: "And?", previous_interaction_id: first.id }))).toMatchObject({
      status: 400,
    });
  });

  test("a stream has the same answer, and is stored too", async () => {
    const events = await eventsOf(await mine().create({ model, input: "Hello there", stream: true }));
    const [created] = events;
    const id = created?.event_type === "interaction.created" ? created.interaction.id : "";
    expect(textOf(events)).toBe("You said: Hello there");
    const end = events.at(-1);
    if (end?.event_type !== "interaction.completed") throw new Error(`it ended with ${end?.event_type}`);
    expect(end.interaction).toMatchObject({ id, model, status: "completed" });
    expect(await mine().get(id)).toMatchObject({ output_text: "You said: Hello there", usage: end.interaction.usage });
  });

  test("a call gets its result", async () => {
    const tools: Interactions.Tool[] = [{ type: "function", name: "weather", parameters: { type: "object" } }];
    const first = await mine().create({ model, tools, input: 'call weather {"city":"Oslo"}' });
    expect(first.status).toBe("requires_action");
    const call = first.steps.find((step) => step.type === "function_call");
    if (call?.type !== "function_call") throw new Error("there is no call");
    expect(call.arguments).toEqual({ city: "Oslo" });
    const input: Interactions.Step[] = [{ type: "function_result", call_id: call.id, name: "weather", result: "4°" }];
    const next = await mine().create({ model, tools, input, previous_interaction_id: first.id });
    expect(next.output_text).toBe("4°");
  });

  test("in the background it continues without the client, and its stream can be resumed", async () => {
    const stream = await mine().create({ model, input: slowly(30), background: true, stream: true });
    const receivedEvents: Interactions.InteractionSSEEvent[] = [];
    for await (const event of stream) {
      receivedEvents.push(event);
      if (event.event_type === "step.delta") break;
    }
    const [created] = receivedEvents;
    const id = created?.event_type === "interaction.created" ? created.interaction.id : "";
    const last = receivedEvents.at(-1)?.event_id ?? "";
    const remainingEvents = await eventsOf(await mine().get(id, { stream: true, last_event_id: last }));
    const all = await eventsOf(await mine().get(id, { stream: true }));
    expect([...receivedEvents, ...remainingEvents]).toEqual(all);
    expect(all.map((event) => event.event_id)).toEqual(all.map((_, at) => String(at)));
    const end = all.at(-1)?.event_id ?? "";
    expect(await eventsOf(await mine().get(id, { stream: true, last_event_id: end }))).toEqual([]);
    const result = await ended(id);
    expect(result).toMatchObject({ id, model, status: "completed", output_text: textOf(all) });
    const next = await mine().create({ model, input: "And?", previous_interaction_id: id });
    expect(next.previous_interaction_id).toBe(id);
  });

  test("in the foreground it cannot be cancelled", async () => {
    const { id } = await mine().create({ model, input: "Hi" });
    expect(await failureOf(mine().cancel(id))).toMatchObject({ status: 400 });
    expect(await failureOf(mine().cancel("int_unknown"))).toMatchObject({ status: 404 });
  });

  test("in the background it is cancelled", async () => {
    const { id, status } = await mine().create({ model, input: slowly(2_000), background: true });
    expect(status).toBe("in_progress");
    expect(await mine().cancel(id)).toMatchObject({ id, status: "cancelled" });
    expect(await mine().get(id)).toMatchObject({ status: "cancelled" });
    const events = await eventsOf(await mine().get(id, { stream: true }));
    expect(events.at(-1)).toMatchObject({ event_type: "interaction.completed", interaction: { status: "cancelled" } });
  });

  test("a background interaction fails if its vendor refuses it", async () => {
    const { id } = await mine().create({ model, input: 'Hi {{simulate: {"status": 400}}}', background: true });
    expect(await ended(id)).toMatchObject({ status: "failed", errors: [{ message: expect.any(String) }] });
  });

  test("it is billed exactly: complete, streamed and in the background", async () => {
    const usage = JSON.stringify({ inputTokens: 1_000, cachedTokens: 400, outputTokens: 80, reasoningTokens: 30 });
    const input = `Hi {{simulate: {"usage": ${usage}}}}`;
    // 600 × 2 + 400 × 0.5 + 80 × 8 US dollars per million tokens, in nano-dollars.
    const cost = 2_040_000n;
    const before = await settled(area, "payer");
    await of("payer").create({ model, input });
    expect(before - (await settled(area, "payer"))).toBe(cost);
    await eventsOf(await of("payer").create({ model, input, stream: true }));
    expect(before - (await settled(area, "payer"))).toBe(2n * cost);
    const { id } = await of("payer").create({ model, input, background: true });
    await until("its end", async () => (await of("payer").get(id)).status === "completed");
    expect(before - (await settled(area, "payer"))).toBe(3n * cost);
  });
});

test("a history with Google's search and code execution continues at another vendor", async () => {
  const input = [
    { type: "user_input", content: [{ type: "text", text: "Q" }] },
    { type: "google_search_call", id: "s1", arguments: { queries: ["q"] } },
    { type: "google_search_result", call_id: "s1", result: [{ search_suggestions: "s" }] },
    { type: "code_execution_call", id: "c1", arguments: { language: "python", code: "print(6 * 7)" } },
    { type: "code_execution_result", call_id: "c1", result: "42" },
    { type: "mcp_server_tool_call", id: "m1", name: "n", server_name: "s", arguments: {} },
    { type: "model_output", content: [{ type: "text", text: "It is 42." }] },
    { type: "user_input", content: [{ type: "text", text: "And?" }] },
  ];
  const answer = await area.post("/v1/interactions", { model: "chat", input }, keyOf("demo"));
  expect([answer.status, answer.headers.get("x-modelgate-dropped")]).toEqual([200, "turn.search, turn.tools"]);
  expect(JSON.stringify(await sentTo("chat"))).toContain("print(6 * 7)");
});

test("an interaction with store: false cannot be found", async () => {
  const { id } = await mine().create({ model: interactionsModel, input: "Hi", store: false });
  expect(await failureOf(mine().get(id))).toMatchObject({ status: 404 });
});

describe("agents", () => {
  test("Google's SDK can call an agent, in the foreground and in the background", async () => {
    const result = await mine().create({ agent, input: "Hi", agent_config: { type: "deep-research" } });
    expect(result).toMatchObject({ agent, status: "completed", output_text: "You said: Hi" });
    expect(await sentTo(agent)).toMatchObject({ agent, background: true, store: true });
    const { id } = await mine().create({ agent, input: "Hi", background: true });
    expect(await ended(id)).toMatchObject({ id, agent, status: "completed", output_text: "You said: Hi" });
  });

  test("any other client can call an agent, complete and streamed, and pays for the reported usage", async () => {
    const { chat } = openaiAt(area.url, keyOf("payer"));
    const before = await settled(area, "payer");
    const messages = [{ role: "user", content: "Hi" } as const];
    const whole = await chat.completions.create({ model: agent, messages });
    expect(whole.choices[0]?.message.content).toBe("You said: Hi");
    const cost = before - (await settled(area, "payer"));
    const { prompt_tokens = 0, completion_tokens = 0 } = whole.usage ?? {};
    expect(cost).toBe(BigInt(prompt_tokens) * 2_000n + BigInt(completion_tokens) * 8_000n);
    let streamedText = "";
    for await (const { choices } of await chat.completions.create({ model: agent, messages, stream: true }))
      streamedText += choices[0]?.delta.content ?? "";
    expect(streamedText).toBe("You said: Hi");
    expect(before - (await settled(area, "payer"))).toBe(2n * cost);
  });
});

describe("errors are in Google's format", () => {
  const post = (path: string, body: object) => area.post(path, body, keyOf("demo"));

  test.each(["/v1", "/v1beta", "/v1beta2"])("under %s", async (version) => {
    const answer = await post(`${version}/interactions`, {
      model: interactionsModel,
      input: "Hi",
      webhook_config: { uris: [] },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
  });

  test.each<[string, object]>([
    ["webhook_config", { webhook_config: { uris: [] } }],
    ["store", { background: true, store: false }],
    ["previous_interaction_id", { previous_interaction_id: "int_unknown" }],
    ["environment", { environment: "environments/of-another" }],
  ])("naming %s", async (field, more) => {
    const answer = await post("/v1/interactions", { model: interactionsModel, input: "Hi", ...more });
    const { error }: any = await answer.json();
    expect(error).toMatchObject({ code: 400, details: [{ fieldViolations: [{ field }] }] });
  });

  test("the SDK throws them as its own errors", async () => {
    expect(await failureOf(mine().create({ model: "unknown", input: "Hi" }))).toMatchObject({ status: 404 });
  });
});
