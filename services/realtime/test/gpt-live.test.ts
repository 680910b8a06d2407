import OpenAI from "openai";
import { LiveWS } from "openai/resources/live/ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findToken, keyDigest, writeTokenToRedis, setAccount } from "@modelgate/accounts";
import { sendEvent, startSessionVendor, until, type SessionVendor } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import { channel, closedVendorSession, keys, sessionRefusal, startSessions, usageEvents } from "./start-sessions.ts";
import { handshake, openSessionAt, simulated, type TestSession } from "./session-client.ts";

/** The poor account of five cents can pay for one second, but not for three. */
const price = { second: 0.02, request: 0.01 };
const names = ["sdk", "talk", "checks", "poor-talk", "poor-burst", "cut", "bound", "disconnected", "long", "fast"];
/** Faults of a vendor at the start of a session. */
const faults = [
  { name: "answers with an error", step: { openWith: "error" } },
  { name: "answers with garbage", step: { openWith: "garbage" } },
  { name: "does not answer", step: { openWith: "silence" } },
  { name: "closes the connection", step: { openWith: "close" } },
  { name: "lacks the model", step: {}, upstreamModel: "gpt-other" },
] as const;
const faultyOf = (name: string): string => `start-${name.replaceAll(" ", "-")}`;
const revokedKey = "sk-revoked-0123456789abcdef";

let vendor: SessionVendor;
let area: Area;
beforeAll(async () => {
  vendor = await startSessionVendor();
  area = await startSessions({
    models: {
      ...Object.fromEntries(
        [...names, "alone", "held", "failing", ...faults.map(({ name }) => faultyOf(name))].map((name) => [
          name,
          { kind: "realtime", price },
        ]),
      ),
      turns: { kind: "realtime", price: { input: 1, output: 1, second: 1 } },
      "no-second": { kind: "realtime", price: { input: 1, output: 1 } },
    },
    channels: [
      ...names.map((name) => channel(name, { [name]: "gpt-live-1" })),
      channel(
        "works",
        { failing: "gpt-live-1", ...Object.fromEntries(faults.map(({ name }) => [faultyOf(name), "gpt-live-1"])) },
        { priority: 1 },
      ),
      channel("failing", { failing: "gpt-live-1" }, { priority: 2 }),
      ...faults.map(({ name, ...fault }) =>
        channel(
          faultyOf(name),
          { [faultyOf(name)]: "upstreamModel" in fault ? fault.upstreamModel : "gpt-live-1" },
          { priority: 2, wires: ["gpt-live"] },
        ),
      ),
      channel("alone", { alone: "gpt-live-1" }),
      channel("held", { held: "gpt-live-1" }, { baseUrl: `${vendor.url}/v1` }),
      channel("no-second", { "no-second": "gpt-live-1" }),
      channel("turns", { turns: "gpt-realtime-2" }),
    ],
    env: { DRAIN_MS: "6000", DRAIN_ERROR_MS: "3000" },
    accounts: { revocable: { balance: "1.00", tokens: [{ key: revokedKey, group: "default" }] } },
    limits: {
      relay: { limits: { leaseMs: 1_500 } },
      realtime: {
        slice: { audioSeconds: 1, textTokens: 100 },
        sessions: { firstEventMs: 2_000, setupMs: 2_000 },
      },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

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

/** Returns the cost of a session of these seconds, in nano-dollars. */
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
  const vendorSession = await closedVendorSession(area, "talk");
  expect(JSON.parse(vendorSession.messages?.[0] ?? "")).toEqual(start("gpt-live-1"));
  expect(vendorSession.messages?.[1]).toBe(
    '{"event_id":"a","type":"session.thinking.append","content":"2","delegation_id":null}',
  );
  await area.settled("demo");
});

describe("refusals", () => {
  test.each<[string, object | string, string, string | undefined]>([
    ["a model of the realtime format", start("turns"), "no_available_channel", undefined],
    ["a model of another kind", start("chat"), "model_not_found", "session.model"],
    ["a model without a price per second", start("no-second"), "model_not_found", "session.model"],
    ["a model that does not exist", start("nothing"), "model_not_found", "session.model"],
    ["a start without a model", { type: "session.start", session: {} }, "missing_required_parameter", "session.model"],
    ["another first event", { type: "session.close" }, "invalid_value", "type"],
    ["no JSON", "hello", "invalid_json", undefined],
  ])("%s gets an error event and a close", async (_name, event, code, param) => {
    const session = await connect();
    session.send(event);
    const { error } = await session.next("error");
    expect([error.code, error.param]).toEqual([code, param]);
    expect(await session.closed).toEqual({ code: 1008, reason: code });
    await area.settled("demo");
  });

  test("a session without a first event in time is closed", async () => {
    const session = await connect();
    expect((await session.next("error")).error.message).toContain("session.start");
    expect((await session.closed).code).toBe(1008);
  });

  test("a request without an upgrade, and a GPT-Live model in the realtime format, are refused", async () => {
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
  ])("%s is refused before the vendor is connected, and the session is closed", async (_, more, param) => {
    const connections = (await area.simulator.requests("checks")).length;
    const session = await connect();
    session.send(start("checks", more));
    const { error } = await session.next("error");
    expect(error).toMatchObject({ param, client_event_id: "start" });
    expect(await session.closed).toEqual({ code: 1008, reason: "unsupported_parameter" });
    expect(await area.simulator.requests("checks")).toHaveLength(connections);
    await area.settled("demo");
  });

  test("a running session continues after a refused event", async () => {
    const session = await startedSession("checks");
    session.send(start("checks"));
    expect((await session.next("error")).error).toMatchObject({ code: "invalid_value", param: "type" });
    session.send({ type: "session.update", event_id: "u", session: { delegation: other } });
    expect((await session.next("error")).error).toMatchObject({ param: "session.delegation", client_event_id: "u" });
    session.send({ type: "session.update", session: { delegation: { type: "client", acknowledgement_delay_ms: 5 } } });
    expect((await session.next("session.updated")).session.model).toBe("checks");
    session.send({ type: "session.close" });
    await session.closed;
    await area.settled("demo");
  });
});

describe("a vendor that does not start the session", () => {
  test.each(faults)("$name: the next channel starts it", async ({ name, step }) => {
    const model = faultyOf(name);
    await area.simulator.script(model, [step]);
    const session = await startedSession(model);
    session.send({ type: "session.close" });
    await session.closed;
    const [event] = await usageEvents(area, model, 1);
    expect(event).toMatchObject({ channelId: "works", attempts: 2 });
    await area.settled("demo");
  });

  test("it fails as a channel: after three failures it is in cooldown", async () => {
    await area.simulator.script("failing", [{ openWith: "error", repeat: true }]);
    for (let count = 1; count <= 4; count++) {
      const session = await startedSession("failing");
      session.send({ type: "session.close" });
      await session.closed;
      const events = await usageEvents(area, "failing", count);
      expect(events.at(-1)).toMatchObject({ channelId: "works", attempts: count < 4 ? 2 : 1 });
    }
    await area.settled("demo");
  });

  test("no other channel: an error event and a close, and nothing is charged", async () => {
    await area.simulator.script("alone", [{ openWith: "error" }]);
    const session = await connect();
    session.send(start("alone"));
    expect((await session.next("error")).error.code).toBe("upstream_error");
    expect(await session.closed).toEqual({ code: 1011, reason: "upstream_error" });
    await area.settled("demo");
    expect((await area.events()).filter(({ model }) => model === "alone")).toEqual([]);
  });

  test("settings that the vendor refuses are the client's fault: no other channel is tried", async () => {
    const [{ name }] = faults;
    const connections = (await area.simulator.requests("works")).length;
    const session = await connect();
    session.send(start(faultyOf(name), { input: "none" }));
    expect((await session.next("error")).error).toMatchObject({
      type: "invalid_request_error",
      param: expect.stringContaining("input"),
      client_event_id: "start",
    });
    expect((await session.closed).code).toBe(1008);
    expect(await area.simulator.requests("works")).toHaveLength(connections);
    await area.settled("demo");
  });

  test("a client that leaves while the vendor starts the session pays for it", async () => {
    const session = await connect();
    session.send(start("held"));
    const arrived = (name: string) => until(name, () => vendor.events.some(({ type }) => type === name));
    await arrived("session.start");
    const atVendor = [...vendor.sessions].at(-1) ?? expect.fail("the vendor has no session");
    session.socket.terminate();
    await session.closed;
    sendEvent(atVendor, { type: "session.started", session: { model: "gpt-live-1" } });
    await arrived("session.close");
    sendEvent(atVendor, { type: "session.closed", usage: { seconds: 1.25 } });
    const [event] = await usageEvents(area, "held", 1);
    expect(event).toMatchObject({ units: { seconds: 1.25 }, estimated: false });
    await area.settled("demo");
  });
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
    session.send(append(0.75));
    expect((await session.next("error")).error).toMatchObject({ code: "insufficient_quota" });
    expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
    const account = await area.settled("poor");
    const [event] = await usageEvents(area, "poor-talk", 1);
    expect(event).toMatchObject({ units: { seconds: 0.75 }, estimated: false, outcome: "completed" });
    expect(BigInt(event?.costNanos ?? 0)).toBe(costOf(0.75));
    expect(account.balanceNanos).toBe(50_000_000n - costOf(0.75));
    expect((await closedVendorSession(area, "poor-talk")).messages?.at(-1)).toBe('{"type":"session.close"}');
  });

  test("sound faster than real time is sent when its seconds are reserved, and charged as reported", async () => {
    const session = await startedSession("fast");
    for (let sent = 0; sent < 60; sent += 20) session.send(append(20));
    session.send({ type: "session.close" });
    const [event] = await usageEvents(area, "fast", 1);
    expect(event).toMatchObject({ units: { seconds: 60 }, estimated: false });
    expect(event).not.toHaveProperty("capped");
    await area.settled("demo");
  });

  test("sound that the account cannot pay is not sent", async () => {
    await area.topUp("poor", "0.05");
    const before = (await area.account("poor")).balanceNanos;
    const session = await startedSession("poor-burst", keys.poor);
    session.send(append(0.5));
    session.send(append(60));
    expect((await session.next("error")).error.code).toBe("insufficient_quota");
    expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
    const account = await area.settled("poor");
    const [event] = await usageEvents(area, "poor-burst", 1);
    expect(event).toMatchObject({ units: { seconds: 0.5 }, estimated: false });
    expect(account.balanceNanos).toBe(before - costOf(0.5));
  });

  test("a client that disconnects pays the vendor's final seconds", async () => {
    const session = await startedSession("disconnected");
    session.send(append(1.5));
    await session.next("session.usage.updated");
    session.socket.terminate();
    const [event] = await usageEvents(area, "disconnected", 1);
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

  test("a report beyond the time by the clock and the sound is not charged in full", async () => {
    await area.simulator.script("bound", [{ usage: { seconds: 300 } }]);
    const session = await startedSession("bound");
    session.send(append(0.5));
    await until("the report of five minutes", async () => session.texts.some((text) => text.includes('"seconds":300')));
    session.socket.close();
    const [event] = await usageEvents(area, "bound", 1);
    expect(event?.units.seconds).toBeLessThan(300);
    expect(event?.capped).toEqual(["seconds"]);
    await area.settled("demo");
  });

  test("a disabled account ends the session at the next extension", async () => {
    const session = await startedSession("talk", revokedKey);
    const state = { id: "revocable", name: "revocable" };
    await setAccount(area.redis, { ...state, disabled: true, version: 2 });
    expect((await session.next("error")).error.code).toBe("account_disabled");
    expect(await session.closed).toEqual({ code: 1008, reason: "account_disabled" });
    await area.settled("revocable");
    await setAccount(area.redis, { ...state, disabled: false, version: 3 });
  });

  test("a disabled key ends the session at the next extension", async () => {
    const session = await startedSession("talk", revokedKey);
    const digest = keyDigest(revokedKey);
    const token = await findToken(area.redis, digest);
    if (token === undefined) throw new Error("the key is missing");
    await writeTokenToRedis(area.redis, digest, { ...token, disabled: true, version: 2 });
    expect((await session.next("error")).error.code).toBe("api_key_disabled");
    expect((await session.closed).code).toBe(1008);
    await area.settled("revocable");
  });

  // Ends the service, so it is the last test.
  test("a process that ends settles its sessions", async () => {
    const session = await startedSession("disconnected");
    session.send(append(2.5));
    await session.next("session.usage.updated");
    await area.drain();
    expect((await session.closed).code).toBe(1001);
    const [, event] = await usageEvents(area, "disconnected", 2);
    expect(event).toMatchObject({ units: { seconds: 2.5 }, estimated: false });
  });
});
