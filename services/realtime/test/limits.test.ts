import { expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { channel, geminiChannel, openSession, sessionRefusal, startSessions, textSession } from "./start-sessions.ts";
import { handshake, userMessage, simulated } from "./session-client.ts";

const config = {
  models: {
    live: { kind: "realtime", price: { output: 10 } },
    silent: { kind: "realtime", price: { output: 10 } },
    gem: { kind: "realtime", price: { output: 10 } },
  },
  channels: [
    channel("voice", ["live"]),
    channel("silent", ["silent"], { timeoutMs: 800 }),
    geminiChannel("gem", ["gem"]),
  ],
};

/** Starts sessions in which only the limits under test are short. */
const startLimited = (sessions: Readonly<Record<string, number>>) =>
  startSessions({ ...config, limits: { realtime: { sessions } } });

test("sessions above the service's maximum get 503", async () => {
  await using area = await startSessions({ ...config, env: { SESSIONS: "2" } });
  const sessions = [await openSession(area, { model: "live" }), await openSession(area, { model: "live" })];
  const answer = await sessionRefusal(area, "/v1/realtime?model=live", handshake);
  expect(answer).toMatchObject({ status: 503, body: { error: { code: "server_overloaded" } } });
  for (const { socket, closed } of sessions) {
    socket.close();
    await closed;
  }
});

test("a silent session gets an error and is closed", async () => {
  await using area = await startLimited({ idleMs: 300 });
  const session = await openSession(area, { model: "live" });
  expect((await session.next("error")).error).toMatchObject({
    code: "session_expired",
    message: expect.stringContaining("silent"),
  });
  expect(await session.closed).toEqual({ code: 1000, reason: "session_expired" });
});

test("no session lasts longer than the maximum", async () => {
  await using area = await startLimited({ longestMs: 900 });
  const session = await openSession(area, { model: "live" });
  const timer = setInterval(() => session.send({ type: "input_audio_buffer.clear" }), 100);
  const failure = await session.next("error");
  clearInterval(timer);
  expect(failure.error).toMatchObject({
    code: "session_expired",
    message: expect.stringContaining("lasts at most"),
  });
  expect(await session.closed).toEqual({ code: 1000, reason: "session_expired" });
});

test("a client that does not read is disconnected, and charged for the generated output", async () => {
  await using area = await startLimited({ stallMs: 400, bufferedBytes: 65_536 });
  const session = await openSession(area, { model: "live" });
  session.send(userMessage(simulated({ bodyBytes: 40_000, chunks: 400 })));
  session.send({ type: "response.create" });
  await session.next("response.created");
  session.socket.pause();
  await until("the vendor to be closed", async () => {
    const vendorRequest = (await area.simulator.requests("voice")).at(-1);
    return vendorRequest?.closeCode !== undefined;
  });
  session.socket.terminate();
  await area.settled("demo");
});

test("a vendor that falls silent in the middle of an answer is lost", async () => {
  await using area = await startLimited({});
  // Repeated, because on a busy machine the handshake can exceed the channel's time limit.
  const session = await until("a session", () => openSession(area, { model: "silent" }).catch(() => undefined));
  session.send(userMessage(simulated({ text: "one two three four five", stallAfterChunks: 3 })));
  session.send({ type: "response.create" });
  expect((await session.next("error")).error).toMatchObject({ code: "upstream_timeout" });
  expect((await session.closed).code).toBe(1011);
  await area.settled("demo");
});

test("a client that disconnects from a silent vendor is charged the counted usage, and its hold is released", async () => {
  await using area = await startLimited({ lastUsageMs: 300 });
  const session = await textSession(area);
  session.send(userMessage(simulated({ text: "one two three four five", stallAfterChunks: 3 })));
  session.send({ type: "response.create" });
  await session.next("response.output_text.delta");
  session.socket.close();
  await area.settled("demo");
  expect(await area.events()).toMatchObject([{ outcome: "cancelled", estimated: true }]);
});

test("a vendor that sends no first event, or never accepts the session's settings, is lost", async () => {
  await using area = await startLimited({ firstEventMs: 400 });
  await area.simulator.script("voice", [{ openWith: "silence" }]);
  const refusal = await sessionRefusal(area, "/v1/realtime?model=live", handshake);
  expect(refusal).toMatchObject({ status: 504, body: { error: { code: "upstream_timeout" } } });
  await area.simulator.script("gem", [{ openWith: "silence" }]);
  const session = await openSession(area, { model: "gem" });
  session.send({ type: "session.update", session: { type: "realtime" } });
  expect((await session.next("error")).error).toMatchObject({ code: "upstream_timeout" });
  expect((await session.closed).code).toBe(1011);
});
