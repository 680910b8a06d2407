import { once } from "node:events";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { keyOf, settled, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";
import { vendors } from "../vendors.ts";

let area: Area;
beforeAll(async () => {
  area = await startText();
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

/** Returns a prompt whose answer waits until the name is released, with further behaviour. */
const waiting = (text: string, waitFor: string, more: object = {}) =>
  `${text} {{simulate: ${JSON.stringify({ chunks: 2, text: "word word", waitFor, ...more })}}}`;
const tools = [{ type: "function" as const, name: "weather", parameters: { type: "object" }, strict: false }];

/** Opens the SDK's WebSocket; `next` returns the events up to the first of a type. */
async function connect() {
  const sdk = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keyOf("demo"), maxRetries: 0 });
  const ws = new ResponsesWS(sdk);
  const events: any[] = [];
  const changed = new EventTarget();
  ws.on("event", (event) => {
    events.push(event);
    changed.dispatchEvent(new Event("change"));
  });
  ws.on("error", () => undefined);
  return {
    send: (event: any) => ws.send(event),
    async next(type: string): Promise<any> {
      for (;;) {
        const at = events.findIndex((event) => event.type === type);
        if (at >= 0) return events.splice(0, at + 1).at(-1);
        await once(changed, "change");
      }
    },
    [Symbol.dispose]: () => ws.close(),
  };
}

describe.each(vendors)("over $name", ({ name: model }) => {
  test("input for a running response becomes its successor's", async () => {
    using session = await connect();
    const before = await settled(area);
    const requests = (await area.simulator.requests(model)).length;
    session.send({
      type: "response.create",
      model,
      input: waiting("One", `${model}-steered`),
      instructions: "Be kind.",
      stream_id: "a",
    });
    const { response: first } = await session.next("response.created");
    session.send({ type: "response.steer", previous_response_id: first.id, input: "Two" });
    const accepted = await session.next("response.steer.accepted");
    expect(accepted).toMatchObject({ steer: { previous_response_id: first.id }, stream_id: "a" });
    expect(accepted.steer.id).toMatch(/^steer_/);
    await area.simulator.release(`${model}-steered`);
    await session.next("response.completed");
    const { response: second } = await session.next("response.created");
    expect(second.id).not.toBe(first.id);
    const { response, stream_id: lane } = await session.next("response.completed");
    expect(lane).toBe("a");
    expect(response.output.at(-1).content[0].text).toBe("You said: Two");
    const sent = (await area.simulator.requests(model)).slice(requests).map(({ body }) => body);
    expect(sent).toHaveLength(2);
    // A vendor of the same wire stores the first response; others get its text.
    expect(sent[1]).toContain(model === "responses" ? '"previous_response_id":"resp_' : "word word");
    expect(sent[1]).toContain("Be kind.");
    // Both responses are paid.
    expect(await settled(area)).toBeLessThan(before);
  });

  test("input waits for the results of the client's tools, and precedes them", async () => {
    using session = await connect();
    const input = waiting("Ask", `${model}-called`, { toolCalls: [{ name: "weather", arguments: "{}" }] });
    session.send({ type: "response.create", model, tools, input });
    const { response: first } = await session.next("response.created");
    session.send({ type: "response.steer", previous_response_id: first.id, input: "Be short" });
    const { steer } = await session.next("response.steer.accepted");
    await area.simulator.release(`${model}-called`);
    const { response: calling } = await session.next("response.completed");
    const pending = await session.next("response.steer.pending");
    const { call_id: callId } = calling.output.find(({ type }: any) => type === "function_call");
    const stub = { type: "function_call_output", call_id: callId, name: "weather" };
    expect(pending).toMatchObject({ reason: "waiting_for_required_input", required_input: [stub], steer });
    const result = { type: "function_call_output" as const, call_id: callId, output: "rain" };
    session.send({ type: "response.create", model, tools, previous_response_id: first.id, input: [result] });
    const { response } = await session.next("response.completed");
    expect(response.status).toBe("completed");
    const body = (await area.simulator.requests(model)).at(-1)?.body;
    expect(body).toContain("Be short");
    expect(body).toContain("rain");
  });
});

test.each<[string, object, string]>([
  ["an unknown response", { previous_response_id: "resp_none", input: "Hi" }, "response_not_found"],
  ["no input", { previous_response_id: "resp_none", input: [] }, "invalid_input"],
  ["another role", { previous_response_id: "resp_none", input: [{ role: "system", content: "Hi" }] }, "invalid_input"],
  ["another item", { previous_response_id: "resp_none", input: [{ type: "reasoning", summary: [] }] }, "invalid_input"],
  ["a lane", { previous_response_id: "resp_none", input: "Hi", stream_id: "a" }, "invalid_input"],
])("steering with %s fails, and its input is returned", async (_, event: any, code) => {
  using session = await connect();
  session.send({ type: "response.steer", ...event });
  const failed = await session.next("response.steer.failed");
  expect(failed).toMatchObject({
    error: { type: "invalid_request_error", code },
    steer: { previous_response_id: event.previous_response_id, input: event.input },
  });
  expect(failed.steer.id).toBeUndefined();
});

test("a response that has ended, and one that compacts, are not steered", async () => {
  using session = await connect();
  session.send({ type: "response.create", model: "messages", input: "Hi" });
  const { response } = await session.next("response.completed");
  const compacts = [{ type: "compaction", compact_threshold: 100_000 }];
  session.send({
    type: "response.create",
    model: "messages",
    input: waiting("One", "never"),
    context_management: compacts,
  });
  // The first response has certainly ended for the gateway when the second one begins.
  const { response: second } = await session.next("response.created");
  session.send({ type: "response.steer", previous_response_id: response.id, input: "Wait" });
  expect((await session.next("response.steer.failed")).error.code).toBe("response_already_completed");
  session.send({ type: "response.steer", previous_response_id: second.id, input: "Wait" });
  expect((await session.next("response.steer.failed")).error.code).toBe("steering_not_supported");
});

test("input of a successor that is refused is returned under its id", async () => {
  using session = await connect();
  session.send({ type: "response.create", model: "messages", input: waiting("One", "refused") });
  const { response } = await session.next("response.created");
  const input = '{{simulate: {"status": 400, "errorMessage": "no such thing"}}}';
  session.send({ type: "response.steer", previous_response_id: response.id, input });
  const { steer } = await session.next("response.steer.accepted");
  await area.simulator.release("refused");
  const failed = await session.next("response.steer.failed");
  expect(failed).toMatchObject({ error: { code: "successor_creation_failed" }, steer: { ...steer, input } });
  session.send({ type: "response.create", model: "messages", input: "Hi" });
  expect((await session.next("response.completed")).response.status).toBe("completed");
});

test("messages that only mention response.steer wait like others", async () => {
  using session = await connect();
  session.send({ type: "response.create", model: "messages", input: waiting("One", "never") });
  await session.next("response.created");
  const metadata = { note: "response.steer" };
  for (let message = 0; message < 17; message++)
    session.send({ type: "response.create", model: "messages", input: "Hi", metadata });
  expect((await session.next("error")).error.code).toBe("rate_limit_exceeded");
});

test("a large message that only mentions response.steer is answered before a short one after it", async () => {
  using session = await connect();
  const metadata = { note: "response.steer" };
  const padding = "x".repeat(300_000);
  const create = (more: object) => session.send({ type: "response.create", model: "messages", ...more });
  create({ input: "First", instructions: padding, metadata });
  create({ input: "Second" });
  for (const text of ["You said: First", "You said: Second"])
    expect((await session.next("response.completed")).response.output.at(-1).content[0].text).toBe(text);
});
