import { once } from "node:events";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { keyOf, settled, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";
import { ownAndOther } from "../vendors.ts";

let area: Area;
beforeAll(async () => {
  area = await startText({
    accounts: ["slow"],
    groups: { slow: { models: ["*"], limits: { requestsPerMinute: 2 } } },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

const address = () => `${area.url.replace("http", "ws")}/v1/responses`;
const sdk = () => new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keyOf("demo"), maxRetries: 0 });

async function connect(account = "demo") {
  const socket = new WebSocket(address(), { headers: { authorization: `Bearer ${keyOf(account)}` } });
  const events: any[] = [];
  const changed = new EventTarget();
  socket.on("message", (data: Buffer) => {
    events.push(JSON.parse(data.toString()));
    changed.dispatchEvent(new Event("change"));
  });
  await once(socket, "open");
  return {
    socket,
    /** Sends an event. Returns the events of its answer. */
    async ask(event: object | string): Promise<any[]> {
      socket.send(typeof event === "string" ? event : JSON.stringify({ type: "response.create", ...event }));
      return await this.answer();
    },
    async answer(): Promise<any[]> {
      const isLast = ({ type }: any) => /^(error|response\.(completed|failed|incomplete))$/.test(type);
      while (!events.some(isLast)) await once(changed, "change");
      return events.splice(0, events.findIndex(isLast) + 1);
    },
    [Symbol.dispose]: () => socket.terminate(),
  };
}

describe.each(ownAndOther("responses"))("responses over a WebSocket, over $name", ({ name: model, wire }) => {
  test("the SDK's client receives a response, and continues it on the same connection", async () => {
    const before = await settled(area);
    const ws = new ResponsesWS(sdk());
    const responses: any[] = [];
    const words: string[] = [];
    ws.send({ type: "response.create", model, input: "My name is Ada.", store: false });
    for await (const event of ws.stream()) {
      if (event.type !== "message") continue;
      const streamedMessage: any = event.message;
      if (streamedMessage.type === "response.output_text.delta") words.push(streamedMessage.delta);
      if (streamedMessage.type === "error") throw new Error(JSON.stringify(streamedMessage));
      if (streamedMessage.type !== "response.completed") continue;
      responses.push(streamedMessage.response);
      if (responses.length === 2) break;
      // A response that is not stored can be continued on its connection.
      ws.send({
        type: "response.create",
        model,
        input: "Who am I?",
        store: false,
        previous_response_id: streamedMessage.response.id,
      });
    }
    ws.close();
    expect(words.join("")).toBe("You said: My name is Ada.You said: Who am I?");
    expect((await area.simulator.requests(model)).at(-1)?.body).toContain("You said: My name is Ada.");
    // The answer of a vendor of the same wire is passed through; this vendor received the complete conversation.
    if (wire !== "responses") expect(responses[1].previous_response_id).toBe(responses[0].id);
    expect(await settled(area)).toBeLessThan(before);
  });

  test("a request that only stores its input costs nothing, and the next one continues it", async () => {
    using session = await connect();
    const before = await settled(area);
    const warm = await session.ask({ model, input: "My name is Ada.", generate: false, store: false });
    expect(warm.map(({ type }) => type)).toEqual(["response.created", "response.in_progress", "response.completed"]);
    expect(warm.at(-1).response).toMatchObject({ output: [], usage: { total_tokens: 0 } });
    expect(await settled(area)).toBe(before);
    const next = await session.ask({ model, input: "Hello", previous_response_id: warm.at(-1).response.id });
    expect(next.at(-1).type).toBe("response.completed");
    expect((await area.simulator.requests(model)).at(-1)?.body).toContain("My name is Ada.");
  });
});

test("requests on one connection wait for each other, and answers name their stream_id", async () => {
  using session = await connect();
  const model = "messages";
  session.socket.send(JSON.stringify({ type: "response.create", model, input: "One", stream_id: "a" }));
  const first = await session.ask({ model, input: "Two", stream_id: "b" });
  const second = await session.answer();
  expect(new Set(first.map(({ stream_id }) => stream_id))).toEqual(new Set(["a"]));
  expect(new Set(second.map(({ stream_id }) => stream_id))).toEqual(new Set(["b"]));
  expect(second.at(-1).response.output[0].content[0].text).toBe("You said: Two");
});

test.each<[string, object | string, object]>([
  ["no JSON", "{", { code: "invalid_json" }],
  ["another event", '{"type":"response.stop"}', { code: "invalid_value", param: "type" }],
  ["an unknown model", { model: "none", input: "Hi" }, { code: "model_not_found" }],
  ["background", { model: "chat", input: "Hi", background: true }, { code: "unsupported_parameter" }],
  [
    "an unknown previous response",
    { model: "chat", input: "Hi", previous_response_id: "resp_none" },
    { code: "previous_response_not_found", param: "previous_response_id" },
  ],
])("%s is answered with an error event, and the connection stays open", async (_, event, error) => {
  using session = await connect();
  const [refused] = await session.ask(event);
  expect(refused).toMatchObject({ type: "error", status: expect.any(Number), error });
  expect((await session.ask({ model: "chat", input: "Hi" })).at(-1).type).toBe("response.completed");
});

test("each response counts as a request of its key", async () => {
  using session = await connect("slow");
  // The first response is admitted with the connection, by the edge.
  for (let response = 0; response < 3; response++)
    expect((await session.ask({ model: "chat", input: "Hi" })).at(-1).type).toBe("response.completed");
  expect((await session.ask({ model: "chat", input: "Hi" })).at(-1)).toMatchObject({
    type: "error",
    status: 429,
    error: { code: "rate_limit_exceeded" },
    headers: { "retry-after": expect.any(String) },
  });
});

test("a client whose steering input is refused again and again is disconnected", async () => {
  using session = await connect();
  const closed = once(session.socket, "close");
  const steer = JSON.stringify({ type: "response.steer", previous_response_id: "resp_none", input: "Hi" });
  for (let input = 0; input < 65; input++) session.socket.send(steer);
  expect((await closed)[0]).toBe(1008);
});

test("a plain HTTP request is refused with websocket_required", async () => {
  const answer = await fetch(address().replace("ws", "http"), {
    headers: { authorization: `Bearer ${keyOf("demo")}` },
  });
  expect(await answer.json()).toMatchObject({ error: { code: "websocket_required" } });
});

// Ends the service, so it is the last test.
test("a gateway that shuts down closes an idle connection, and a busy one after its response, so that clients can reconnect", async () => {
  using idle = await connect();
  using busy = await connect();
  const closed = [idle, busy].map(({ socket }) => once(socket, "close"));
  await area.simulator.forget("chat");
  const answer = busy.ask({ model: "chat", input: 'Hi {{simulate: {"chunks": 20, "chunkDelayMs": 50}}}' });
  await until("the vendor's request", async () => (await area.simulator.requests("chat")).length === 1);
  await area.drain();
  expect((await answer).at(-1)).toMatchObject({ type: "response.completed" });
  expect((await Promise.all(closed)).map(([code]) => code)).toEqual([1012, 1012]);
});
