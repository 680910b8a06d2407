import OpenAI from "openai";
import { LiveWS } from "openai/resources/live/ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findToken, keyDigest, projectToken } from "@modelgate/accounts";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import { channel, closedVendorSession, keys, sessionRefusal, startSessions, usageEvents } from "./start-sessions.ts";
import { handshake, openSessionAt, simulated, type TestSession } from "./session-client.ts";

/** Two cents per second and one per session: a poor account of five cents pays for one second, and not for three. */
const price = { second: 0.02, request: 0.01 };
const names = ["sdk", "talk", "checks", "poor-talk", "cut", "silent", "bound", "left", "long"];
const lent = "sk-lent-0123456789abcdef";

let area: Area;
beforeAll(async () => {
  area = await startSessions({
    models: {
      ...Object.fromEntries(names.map((name) => [name, { kind: "realtime", price }])),
      turns: { kind: "realtime", price: { input: 1, output: 1, second: 1 } },
      "no-second": { kind: "realtime", price: { input: 1, output: 1 } },
    },
    channels: [
      ...names.map((name) => channel(name, { [name]: "gpt-live-1" })),
      channel("no-second", { "no-second": "gpt-live-1" }),
      channel("turns", { turns: "gpt-realtime-2" }),
    ],
    env: { DRAIN_MS: "8000", FAREWELL_MS: "4000" },
    accounts: { lending: { balance: "1.00", tokens: [{ key: lent, group: "default" }] } },
    limits: {
      relay: { limits: { leaseMs: 1_500 } },
      realtime: {
        slice: { audioSeconds: 1, textTokens: 100 },
        sessions: { firstEventMs: 5_000, setupMs: 5_000 },
      },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

/** Returns silent PCM of 24 kHz in Base64. */
const sound = (seconds: number): string => Buffer.alloc(48_000 * seconds).toString("base64");
const append = (seconds: number) => ({ type: "session.input_audio.append", audio: sound(seconds) });
const start = (model: string, settings: object = {}) => ({
  type: "session.start",
  event_id: "start",
  session: { model, ...settings },
});

function connect(key: string = keys.demo): Promise<TestSession> {
  return openSessionAt(area.url, undefined, { authorization: `Bearer ${key}` }, "/v1/live/sessions");
}

async function startedSession(model: string, key: string = keys.demo): Promise<TestSession> {
  const session = await connect(key);
  session.send(start(model));
  await session.next("session.started");
  return session;
}

/** Returns the amount in nano-dollars that a session of these seconds costs. */
const costOf = (seconds: number): bigint => BigInt(Math.round(seconds * 20_000_000)) + 10_000_000n;

test("the official SDK opens a session, speaks and is spoken to, and pays the vendor's final seconds", async () => {
  const client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo });
  const live = new LiveWS(client);
  const failures: unknown[] = [];
  live.on("error", (error) => failures.push(error));
  live.send({ type: "session.start", session: { model: "sdk", instructions: "Be brief." } });
  const started = await live.emitted("session.started");
  expect(started.session).toMatchObject({ model: "sdk", status: "active", instructions: "Be brief." });
  live.send({ type: "session.input_audio.append", audio: sound(0.5) });
  expect((await live.emitted("session.input_transcript.delta")).delta).toBe("500 ms of speech");
  live.send({ type: "session.input_audio.mute", event_id: "m" });
  expect(await live.emitted("session.input_audio.muted")).toMatchObject({ client_event_id: "m" });
  live.send({ type: "session.commentary.append", content: "Say hello", delegation_id: null });
  expect((await live.emitted("session.output_transcript.delta")).delta).toBe("Say hello");
  live.send({ type: "session.input_audio.append", audio: sound(3.25) });
  live.send({ type: "session.close" });
  const closed = await live.emitted("session.closed");
  expect(closed).toMatchObject({ reason: "close_requested", usage: { seconds: 3.75 }, session: { model: "sdk" } });
  expect(failures).toEqual([]);
  const [event] = await usageEvents(area, "sdk", 1);
  expect(event).toMatchObject({
    units: { requests: 1, seconds: 3.75 },
    estimated: false,
    outcome: "completed",
    status: 101,
    upstreamModel: "gpt-live-1",
    endpoint: "GET /v1/live/sessions",
  });
  expect(BigInt(event?.costNanos ?? 0)).toBe(costOf(3.75));
  await area.settled("demo");
});

test("the vendor's messages pass unchanged, and the client's as they were parsed", async () => {
  const session = await startedSession("talk");
  session.send(
    '{"event_id":"\\u0061","type":"session.thinking.append","content":"1","delegation_id":null,"content":"2"}',
  );
  expect(await session.next("session.thinking.appended")).toMatchObject({ client_event_id: "a" });
  session.send({ type: "session.unknown", event_id: "b" });
  expect(await session.next("error")).toMatchObject({ client_event_id: "b", error: { client_event_id: "b" } });
  session.send({ type: "response.create", event_id: "c" });
  expect((await session.next("error")).error).toMatchObject({ code: "invalid_delegation", client_event_id: "c" });
  session.send({ type: "session.close" });
  await session.next("session.closed");
  expect((await session.closed).code).toBe(1000);
  const seen = await closedVendorSession(area, "talk");
  expect(JSON.parse(seen.messages?.[0] ?? "")).toEqual(start("gpt-live-1"));
  expect(seen.messages?.[1]).toBe(
    '{"event_id":"a","type":"session.thinking.append","content":"2","delegation_id":null}',
  );
  await area.settled("demo");
});

describe("refusals", () => {
  test.each([
    ["a model of the realtime format", start("turns"), "no_available_channel"],
    ["a model of another kind", start("chat"), "model_not_found"],
    ["a model without a price per second", start("no-second"), "model_not_found"],
    ["a model that does not exist", start("nothing"), "model_not_found"],
    ["a start without a model", { type: "session.start", session: {} }, "missing_required_parameter"],
    ["another first event", { type: "session.close" }, "invalid_value"],
    ["no JSON", "hello", "invalid_json"],
  ])("%s gets an error event and a close", async (_name, event, code) => {
    const session = await connect();
    session.send(event);
    expect((await session.next("error")).error.code).toBe(code);
    expect(await session.closed).toEqual({ code: 1008, reason: code });
    await area.settled("demo");
  });

  test("no first event in time", async () => {
    const session = await connect();
    expect((await session.next("error")).error.code).toBe("invalid_value");
  });

  test("a request without an upgrade, and a GPT-Live model in the realtime format", async () => {
    const plain = await fetch(`${area.url}/v1/live/sessions`, { headers: { authorization: `Bearer ${keys.demo}` } });
    expect(plain.status).toBe(400);
    expect(await plain.json()).toMatchObject({ error: { code: "websocket_required" } });
    const refusal = await sessionRefusal(area, "/v1/realtime?model=talk", handshake);
    expect(refusal.body.error.code).toBe("no_available_channel");
  });

  const other = { type: "responses", responses: { model: "gpt-6-luna" } };
  test.each([
    ["a stored session", { store: true }, "session.store"],
    ["delegation to another model", { delegation: other }, "session.delegation"],
    ["delegation without its type", { delegation: { responses: other.responses } }, "session.delegation"],
    ["triggers", { triggers: [{ type: "decisions" }] }, "session.triggers"],
    ["a voice of the operator", { audio: { output: { voice: { id: "voice_1" } } } }, "session.audio.output.voice.id"],
  ])(
    "%s is refused before it reaches the vendor, and the session can be started without it",
    async (_, more, param) => {
      const session = await connect();
      session.send(start("checks", more));
      const { error } = await session.next("error");
      expect(error).toMatchObject({ param, client_event_id: "start" });
      session.send(start("checks"));
      await session.next("session.started");
      session.send(start("checks"));
      expect((await session.next("error")).error.code).toBe("invalid_value");
      session.send({ type: "session.update", event_id: "u", session: { delegation: other } });
      expect((await session.next("error")).error).toMatchObject({ param: "session.delegation", client_event_id: "u" });
      session.send({
        type: "session.update",
        session: { delegation: { type: "client", acknowledgement_delay_ms: 5 } },
      });
      expect((await session.next("session.updated")).session.model).toBe("checks");
      session.send({ type: "session.close" });
      await session.closed;
      await area.settled("demo");
    },
  );
});

describe("money", () => {
  test("the reservation is extended while the session runs", async () => {
    const session = await startedSession("long");
    session.send(append(4.75));
    const held = async () => (await area.account("demo")).heldNanos;
    await until("a reservation of more seconds than were used", async () => (await held()) >= costOf(6));
    session.send({ type: "session.close" });
    const [event] = await usageEvents(area, "long", 1);
    expect(event).toMatchObject({ units: { seconds: 4.75 }, estimated: false });
    await area.settled("demo");
  });

  test("a session ends when the account cannot pay more, and the balance does not become negative", async () => {
    const session = await startedSession("poor-talk", keys.poor);
    session.send(append(1.75));
    expect((await session.next("error")).error).toMatchObject({ code: "insufficient_quota" });
    expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
    const account = await area.settled("poor");
    const [event] = await usageEvents(area, "poor-talk", 1);
    expect(event).toMatchObject({ units: { seconds: 1.75 }, estimated: false, outcome: "completed" });
    expect(BigInt(event?.costNanos ?? 0)).toBe(costOf(1.75));
    expect(account.balanceNanos).toBe(50_000_000n - costOf(1.75));
    expect((await closedVendorSession(area, "poor-talk")).messages?.at(-1)).toBe('{"type":"session.close"}');
  });

  test("a client that disconnects pays the vendor's final seconds", async () => {
    const session = await startedSession("left");
    session.send(append(1.5));
    await session.next("session.usage.updated");
    session.socket.terminate();
    const [event] = await usageEvents(area, "left", 1);
    expect(event).toMatchObject({ units: { seconds: 1.5 }, estimated: false, outcome: "completed" });
    await area.settled("demo");
  });

  test("a vendor that is lost: an error event, and the seconds are charged as counted", async () => {
    const session = await startedSession("cut");
    session.send(append(2));
    await session.next("session.usage.updated");
    const content = `${simulated({ cutAfterChunks: 1, chunks: 2 })} two words`;
    session.send({ type: "session.commentary.append", content, delegation_id: null });
    expect((await session.next("error")).error.code).toBe("upstream_error");
    expect((await session.closed).code).toBe(1011);
    const [event] = await usageEvents(area, "cut", 1);
    expect(event).toMatchObject({ estimated: true, outcome: "cancelled", units: { requests: 1 } });
    const seconds = event?.units.seconds ?? 0;
    expect(seconds).toBeGreaterThanOrEqual(2);
    expect(Number.isInteger(seconds)).toBe(true);
    expect(BigInt(event?.costNanos ?? 0)).toBe(costOf(seconds));
    await area.settled("demo");
  });

  test("a vendor that does not start the session costs nothing", async () => {
    await area.simulator.script("silent", [{ openWith: "silence" }]);
    const session = await connect();
    session.send(start("silent"));
    expect((await session.next("error")).error.code).toBe("upstream_timeout");
    await area.settled("demo");
    expect((await area.events()).filter(({ model }) => model === "silent")).toEqual([]);
  });

  test("a report beyond the time by the clock is not charged in full", async () => {
    const session = await startedSession("bound");
    for (let sent = 0; sent < 300; sent += 30) session.send(append(30));
    await until("the report of five minutes", async () => session.texts.some((text) => text.includes('"seconds":300')));
    session.socket.close();
    const [event] = await usageEvents(area, "bound", 1);
    expect(event?.units.seconds).toBeLessThan(300);
    expect(event?.capped).toEqual(["seconds"]);
    await area.settled("demo");
  });

  test("a disabled key ends the session at the next extension", async () => {
    const session = await startedSession("talk", lent);
    const digest = keyDigest(lent);
    const token = await findToken(area.redis, digest);
    if (token === undefined) throw new Error("the key is missing");
    await projectToken(area.redis, digest, { ...token, disabled: true, version: 2 });
    expect((await session.next("error")).error.code).toBe("api_key_disabled");
    expect((await session.closed).code).toBe(1008);
    await area.settled("lending");
  });

  // Ends the service, so it is the last test.
  test("a process that ends settles its sessions", async () => {
    const session = await startedSession("left");
    session.send(append(2.5));
    await session.next("session.usage.updated");
    await area.drain();
    expect((await session.closed).code).toBe(1001);
    const [, event] = await usageEvents(area, "left", 2);
    expect(event).toMatchObject({ units: { seconds: 2.5 }, estimated: false });
  });
});
