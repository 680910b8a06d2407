import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import type { TestSession } from "./session-client.ts";
import { openSlowConnection, type SlowConnection } from "./slow-connection.ts";
import { channel, openSession, price, startSessions } from "./start-sessions.ts";

let far: SlowConnection;
let area: Area;
beforeAll(async () => {
  far = await openSlowConnection(0);
  area = await startSessions({
    models: { live: { kind: "realtime", price } },
    channels: [channel("voice", ["live"], { baseUrl: `${far.url}/at/voice/openai/v1`, timeoutMs: 800 })],
    limits: { realtime: { sessions: { pingMs: 600, bufferedBytes: 65_536 } } },
  });
  far.connectTo(area.simulator.url);
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await far?.[Symbol.asyncDispose]();
});

/** Opens a session. Repeated, because on a busy machine the handshake can exceed the channel's time limit. */
async function createdSession(): Promise<TestSession> {
  const session = await until("a session", () => openSession(area, { model: "live" }).catch(() => undefined));
  await session.next("session.created");
  return session;
}

test("the hold of a client that disconnected is released while the session still waits for its vendor", async () => {
  const session = await createdSession();
  far.cutOff();
  // The vendor may make a turn of this audio, but can no longer report the turn.
  session.send({ type: "input_audio_buffer.append", audio: "AAAA" });
  session.socket.close();
  await session.closed;
  await area.settled("demo");
  expect(await area.metrics.metrics()).toMatch(/^modelgate_realtime_sessions(\{.*\})? 1$/m);
});

test("a vendor that disappears silently is detected by pings: an error event, and a close", async () => {
  const session = await createdSession();
  far.cutOff();
  expect((await session.next("error")).error).toMatchObject({ code: "upstream_error" });
  expect((await session.closed).code).toBe(1011);
  await area.settled("demo");
});

test("a vendor that never answers a request counts as lost before its pings fail", async () => {
  const session = await createdSession();
  far.cutOff();
  session.send({ type: "response.create" });
  expect((await session.next("error")).error).toMatchObject({ code: "upstream_timeout" });
  expect((await session.closed).code).toBe(1011);
  await area.settled("demo");
});

test("a vendor that does not read pauses its client, without unlimited buffering, and is lost", async () => {
  const session = await createdSession();
  far.cutOff();
  const max = 64 * 1024 * 1024;
  const events = 20; // each within the bound of an event
  for (let at = 0; at < events; at++) session.socket.send(`{"type":"unknown","pad":"${"x".repeat(max / events)}"}`);
  expect((await session.next("error")).error).toMatchObject({ code: "upstream_error" });
  // The system's buffers hold a part, and the gateway one message.
  expect(session.socket.bufferedAmount).toBeGreaterThan(max / 4);
  await session.closed;
  await area.settled("demo");
});
