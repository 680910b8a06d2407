import { once } from "node:events";
import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyDigest, findToken, writeTokenToRedis } from "@modelgate/accounts";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import { ask, handshake, userMessage, simulated } from "./session-client.ts";
import {
  channel,
  closedVendorSession,
  keys,
  openSession,
  sessionRefusal,
  startSessions,
  textSession,
} from "./start-sessions.ts";

/** A few answers of 10,000 words use up the dollar of a poor account. */
const price = { input: 4, output: 100 };
/** A lost connection is a failure that starts a cooldown, so each case has a separate channel. */
const losses = [
  { model: "lost-1", how: "cuts the connection", behaviour: { cutAfterChunks: 3, chunks: 6 }, code: 1011 },
  {
    model: "lost-2",
    how: "closes with 1001",
    behaviour: { cutAfterChunks: 3, chunks: 6, closeCode: 1001 },
    code: 1001,
  },
  {
    model: "lost-3",
    how: "closes with an unknown code",
    behaviour: { cutAfterChunks: 3, chunks: 6, closeCode: 4321 },
    code: 4321,
  },
  {
    model: "lost-5",
    how: "closes normally before its answer ends",
    behaviour: { cutAfterChunks: 3, chunks: 6, closeCode: 1000 },
    code: 1000,
  },
  { model: "lost-4", how: "fails with an error event", behaviour: { errorAfterChunks: 3, chunks: 6 }, code: 1011 },
];
const models = Object.fromEntries(losses.map(({ model }) => [model, { kind: "realtime", price }]));
const revokedKey = "sk-revoked-0123456789abcdef";
const lateKey = "sk-late-0123456789abcdef";

let area: Area;
beforeAll(async () => {
  area = await startSessions({
    models: { live: { kind: "realtime", price }, ...models },
    channels: [channel("voice", ["live"]), ...losses.map(({ model }) => channel(model, [model]))],
    accounts: {
      revocable: { balance: "1.00", tokens: [{ key: revokedKey, group: "default" }] },
      late: { balance: "1.00", tokens: [{ key: lateKey, group: "default" }] },
    },
    env: { DRAIN_MS: "4000" },
    limits: {
      relay: { limits: { leaseMs: 1_500 } },
      realtime: {
        slice: { audioSeconds: 0, textTokens: 100 },
        sessions: { bufferedBytes: 65_536 },
      },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const eventsOf = async (account: string) => (await area.events()).filter(({ accountId }) => accountId === account);

test("an account without a balance gets an error and a close with a reason, and its balance does not become negative", async () => {
  const session = await textSession(area, "live", keys.poor);
  // Each answer costs more than a cent, and the next slice costs as much as the last answer.
  const failure = session.next("error");
  const ended = session.closed.then(() => "closed");
  while ((await Promise.race([ask(session, simulated({ bodyBytes: 600 })).catch(() => "closed"), ended])) !== "closed");
  expect((await failure).error).toMatchObject({ type: "insufficient_quota", code: "insufficient_quota" });
  expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
  await area.settled("poor");
  const answers = session.texts.filter((text) => text.startsWith('{"type":"response.done"')).length;
  expect(answers).toBeGreaterThan(0);
  expect(await eventsOf("poor")).toHaveLength(answers);
});

test("an answer that exceeds its hold is cut when the account cannot pay more", async () => {
  await area.topUp("poor", "0.05");
  const before = (await eventsOf("poor")).length;
  const session = await textSession(area, "live", keys.poor);
  session.send(userMessage(simulated({ bodyBytes: 400_000, chunks: 4_000, chunkDelayMs: 1 })));
  session.send({ type: "response.create" });
  expect((await session.next("error")).error.code).toBe("insufficient_quota");
  expect((await session.closed).code).toBe(1008);
  await area.settled("poor");
  const [event, ...more] = (await eventsOf("poor")).slice(before);
  expect(event).toMatchObject({ outcome: "cancelled", estimated: false });
  expect(more).toEqual([]);
});

test("text beyond the balance ends the session before an answer is requested", async () => {
  await area.topUp("poor", "0.05");
  const session = await textSession(area, "live", keys.poor);
  session.send(userMessage("word ".repeat(20_000)));
  session.send({ type: "response.create" });
  expect((await session.next("error")).error.code).toBe("insufficient_quota");
  expect((await session.closed).code).toBe(1008);
  await area.settled("poor");
  const vendorSession = await closedVendorSession(area);
  expect(vendorSession.messages?.some((message) => message.includes("response.create"))).toBe(false);
});

test.each(losses)(
  "a vendor that is lost and $how: an error event, a close, and the usage is charged",
  async ({ model, behaviour, code }) => {
    const before = (await eventsOf("demo")).length;
    const session = await textSession(area, model);
    session.send(userMessage(simulated({ ...behaviour, text: "one two three four five six seven eight" })));
    session.send({ type: "response.create" });
    expect((await session.next("error")).error).toMatchObject({ message: expect.any(String) });
    expect((await session.closed).code).toBe(code);
    await area.settled("demo");
    const after = (await eventsOf("demo")).slice(before);
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({ estimated: true, outcome: "cancelled", status: 101 });
    expect(after[0]?.units.outputTokens).toBeGreaterThan(0);
  },
);

test("a client that disconnects in the middle stops the vendor, and the vendor's usage is charged", async () => {
  const before = (await eventsOf("demo")).length;
  const session = await textSession(area);
  session.send(userMessage(simulated({ chunks: 500, chunkDelayMs: 10, bodyBytes: 4_000 })));
  session.send({ type: "response.create" });
  await session.next("response.output_text.delta");
  session.socket.terminate();
  await area.settled("demo");
  const after = (await eventsOf("demo")).slice(before);
  expect(after).toHaveLength(1);
  expect(after[0]).toMatchObject({ outcome: "cancelled", estimated: false });
  expect(after[0]?.units.outputTokens).toBeLessThan(500);
  const { messages, closeCode } = await closedVendorSession(area);
  expect(messages?.at(-1)).toMatch(/^\{"type":"response.cancel","response_id":"resp_/);
  expect(closeCode).toBe(1000);
});

test("a slow reader pauses the vendor, and then gets everything", async () => {
  const long = simulated({ bodyBytes: 40_000, chunks: 400 });
  const session = await openSession(area, { model: "live" });
  await session.next("session.created");
  session.send(userMessage(long));
  session.send({ type: "response.create" });
  await session.next("response.created");
  session.socket.pause();
  // Meanwhile another client reads a complete answer of the same length.
  const fast = await openSession(area, { model: "live" });
  await ask(fast, long);
  fast.socket.close();
  // The speech has 64 MB in Base64. The vendor can send only as much as fits into the buffers.
  const [slow] = (await area.simulator.requests("voice")).slice(-2);
  expect(slow?.sentBytes).toBeLessThan(45_000_000);
  session.socket.resume();
  const done = await session.next("response.done");
  expect(done.response.status).toBe("completed");
  const audio = session.texts
    .filter((text) => text.startsWith('{"type":"response.output_audio.delta"'))
    .reduce((sum, text) => sum + Buffer.from(JSON.parse(text).delta, "base64").length, 0);
  expect(audio).toBe(40_000 * 1_200);
  session.socket.close();
});

test("a key that has used up its tokens per minute gets an error, and waits", async () => {
  const session = await textSession(area, "live", keys.thrifty);
  await ask(session, simulated({ bodyBytes: 1_000 }));
  expect((await session.next("error")).error).toMatchObject({ code: "rate_limit_exceeded" });
  expect(session.socket.readyState).toBe(session.socket.OPEN);
  session.socket.close();
  await area.settled("demo");
});

test("a revoked key ends its session at the next request for a response", async () => {
  const session = await textSession(area, "live", revokedKey);
  await ask(session, "Hello");
  const digest = keyDigest(revokedKey);
  const token = await findToken(area.redis, digest);
  if (token === undefined) throw new Error("there is no such token");
  await writeTokenToRedis(area.redis, digest, { ...token, disabled: true, version: 2 });
  session.send({ type: "response.create" });
  expect((await session.next("error")).error.code).toBe("api_key_disabled");
  expect(await session.closed).toEqual({ code: 1008, reason: "api_key_disabled" });
});

// Ends the service, so it is the last test.
test("a service that shuts down refuses new sessions, closes open and opening ones with 1001, and charges what their vendors report", async () => {
  await area.settled("demo");
  const before = (await eventsOf("demo")).length;
  const [idle, ...busy] = await Promise.all([1, 2, 3].map(() => textSession(area)));
  for (const session of busy) {
    session.send(userMessage(simulated({ chunks: 500, chunkDelayMs: 50, bodyBytes: 5_000 })));
    session.send({ type: "response.create" });
    await session.next("response.output_text.delta");
  }
  // This session opens between the close of the others and the end of the service.
  await area.simulator.script("voice", [{ delayMs: 2_800 }]);
  const opening = openSession(area, { model: "live", key: lateKey });
  await until("its hold", async () => (await area.account("late")).heldNanos !== 0n);
  busy.pop()?.socket.close();
  // Leaves an open connection, because a draining service accepts no new ones.
  const [listed] = await once(get(area.url), "response");
  await once(listed.resume(), "end");
  const drained = area.drain();
  const refused = await sessionRefusal(area, "/v1/realtime?model=live", handshake);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
  await drained;
  for (const session of [idle, ...busy, await opening])
    expect(await session?.closed).toEqual({ code: 1001, reason: "the gateway is shutting down; reconnect" });
  for (const account of ["demo", "late"]) await area.settled(account);
  const events = (await eventsOf("demo")).slice(before);
  expect(events).toHaveLength(2);
  for (const event of events) expect(event).toMatchObject({ outcome: "cancelled", estimated: false });
});
