import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { channel, config as baseConfig, keys, money, rival } from "./suite-client.ts";
import {
  ask,
  booksAgree,
  handshake,
  liveSession,
  openSession,
  refusal,
  userMessage,
  simulated,
  textSession,
  usageEvents,
} from "./realtime-client.ts";

const price = { input: 4, output: 100 };
const config = {
  ...baseConfig,
  models: {
    ...baseConfig.models,
    live: { kind: "realtime", price },
    talk: { kind: "realtime", price: { second: 0.01 } },
  },
  accounts: { ...baseConfig.accounts, rival: rival.account },
  channels: [...baseConfig.channels, channel("voice", ["live"]), channel("talk", { talk: "gpt-live-1" })],
};

let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startLocalSuite({
    shape: "apart",
    config,
    env: { DRAIN_MS: "4000" },
    limits: {
      relay: { limits: { leaseMs: 1_500 } },
      realtime: { slice: { audioSeconds: 0, textTokens: 100 }, sessions: { lastUsageMs: 1_000, settlementMs: 500 } },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

test("twenty sessions during a restart, and one whose vendor is slow to open: each is closed with 1001, opens again, and none is charged twice", async () => {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => textSession(suite)));
  await Promise.all(sessions.map((session) => ask(session, "Hello")));
  // Five sessions receive an answer that takes longer than the drain.
  for (const session of sessions.slice(0, 5)) {
    session.send(userMessage(simulated({ chunks: 500, chunkDelayMs: 50, bodyBytes: 5_000 })));
    session.send({ type: "response.create" });
    await session.next("response.output_text.delta");
  }
  // This session opens between the close of the others and the end of the service.
  await suite.simulator.script("voice", [{ delayMs: 2_800 }]);
  const opening = openSession(suite, { model: "live", key: rival.key });
  await until("its hold", async () => (await money(suite, "rival")).heldNanos !== "0");
  suite.process("realtime").signal("SIGTERM");
  const asking = { ...handshake, authorization: `Bearer ${keys.demo}` };
  const late = await until("new sessions to be refused", async () => {
    const answer = await refusal(suite, "/v1/realtime?model=live", asking);
    return answer.status === 503 && answer;
  });
  expect(late.headers["retry-after"]).toBeDefined();
  for (const { closed } of [...sessions, await opening]) expect((await closed).code).toBe(1001);
  expect(await suite.process("realtime").ended).toBe(0);
  await suite.restart("realtime");
  await until("sessions to be served again", async () => (await fetch(`${suite.opsUrl("realtime")}/readyz`)).ok);
  const again = await Promise.all(sessions.map(() => textSession(suite)));
  await Promise.all(again.map((session) => ask(session, "Hello again")));
  for (const session of again) session.socket.close();
  for (const account of ["demo", "rival"]) await booksAgree(suite, account);
});

test("a client that disconnects just before the service ends is charged for the reported usage", async () => {
  await booksAgree(suite, "demo");
  const before = (await storedEvents(suite.backends.natsUrl)).length;
  const session = await textSession(suite);
  session.send(userMessage(simulated({ chunks: 500, chunkDelayMs: 100, bodyBytes: 5_000 })));
  session.send({ type: "response.create" });
  await session.next("response.output_text.delta");
  session.socket.close();
  suite.process("realtime").signal("SIGTERM");
  expect(await suite.process("realtime").ended).toBe(0);
  await suite.restart("realtime");
  await booksAgree(suite, "demo");
  const [stored, ...more] = (await storedEvents(suite.backends.natsUrl)).slice(before);
  expect(stored?.event).toMatchObject({ outcome: "cancelled", estimated: false });
  expect(more).toEqual([]);
});

test("the service is killed: sessions of both formats end with the edge's error, and every hold ends once", async () => {
  const audio = Buffer.alloc(2 * 48_000).toString("base64");
  const sessions = await Promise.all(Array.from({ length: 5 }, () => textSession(suite)));
  const talks = await Promise.all(Array.from({ length: 3 }, () => liveSession(suite, "talk")));
  for (const session of sessions) {
    session.send(userMessage(simulated({ chunks: 500, chunkDelayMs: 50, bodyBytes: 5_000 })));
    session.send({ type: "response.create" });
    await session.next("response.output_text.delta");
  }
  for (const talk of talks) {
    talk.send({ type: "session.input_audio.append", audio });
    await talk.next("session.usage.updated");
  }
  suite.process("realtime").signal("SIGKILL");
  await suite.process("realtime").ended;
  for (const { closed, texts } of sessions) {
    expect(await closed).toEqual({ code: 1012, reason: "server_overloaded" });
    expect(JSON.parse(texts.at(-1) ?? "")).toMatchObject({ type: "error", error: { code: "server_overloaded" } });
    for (const text of texts) expect(JSON.parse(text)).toHaveProperty("event_id");
  }
  for (const { closed } of talks) expect((await closed).code).toBe(1012);
  await suite.restart("realtime");
  const events = await usageEvents(suite, "talk", talks.length);
  expect(events).toHaveLength(talks.length);
  for (const { event } of events) expect(event).toMatchObject({ estimated: true });
  await booksAgree(suite, "demo");
});

test("Redis is unavailable during a session: it waits, gets an error, and continues", async () => {
  const session = await textSession(suite);
  session.send(userMessage(simulated({ chunks: 20, chunkDelayMs: 20 })));
  session.send({ type: "response.create" });
  await session.next("response.output_text.delta");
  await suite.backends.redis.kill();
  await session.next("response.done");
  expect((await session.next("error")).error.code).toBe("server_overloaded");
  await suite.backends.redis.start();
  expect((await ask(session, "Hello")).response.status).toBe("completed");
  session.socket.close();
  await once(session.socket, "close");
  await booksAgree(suite, "demo");
});
