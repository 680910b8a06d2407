import { once } from "node:events";
import { describe, afterAll, beforeAll, expect, test } from "vitest";
import { shapes, startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { channel, config as baseConfig, keys, money } from "./suite-client.ts";
import {
  ask,
  booksAgree,
  handshake,
  liveSession,
  openSession,
  refusal,
  say,
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
  channels: [...baseConfig.channels, channel("voice", ["live"]), channel("talk", { talk: "gpt-live-1" })],
};

describe.each(shapes)("services %s", (shape) => {
  let suite: Suite<LocalBackends>;
  beforeAll(async () => {
    suite = await startLocalSuite({
      fresh: true,
      shape,
      config,
      limits: {
        relay: { limits: { leaseMs: 1_500 } },
        realtime: { slice: { audioSeconds: 0, textTokens: 100 }, sessions: { lastUsageMs: 1_000 } },
      },
    });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  test("fifty sessions during a restart: each is closed with 1001, opens again, and none is charged twice", async () => {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => textSession(suite)));
    await Promise.all(sessions.map((session) => ask(session, "Hello")));
    // Ten sessions receive an answer that takes longer than the drain.
    for (const session of sessions.slice(0, 10)) {
      session.send(say(simulated({ chunks: 5_000, chunkDelayMs: 10, bodyBytes: 5_000 })));
      session.send({ type: "response.create" });
      await session.next("response.output_text.delta");
    }
    suite.process("realtime").signal("SIGTERM");
    const asking = { ...handshake, authorization: `Bearer ${keys.demo}` };
    const late = await until("new sessions to be refused", async () => {
      const answer = await refusal(suite, "/v1/realtime?model=live", asking).catch(() => "no connection" as const);
      // In one process, the edge stops too.
      if (answer === "no connection") return shape === "one" && answer;
      return answer.status === 503 && answer;
    });
    if (late !== "no connection") expect(late.headers["retry-after"]).toBeDefined();
    for (const { closed } of sessions) expect((await closed).code).toBe(1001);
    expect(await suite.process("realtime").ended).toBe(0);
    await suite.restart("realtime");
    await until("sessions to be served again", async () => (await fetch(`${suite.opsUrl("realtime")}/readyz`)).ok);
    const again = await Promise.all(sessions.map(() => textSession(suite)));
    await Promise.all(again.map((session) => ask(session, "Hello again")));
    for (const session of again) session.socket.close();
    await booksAgree(suite, "demo");
  });

  test("a session whose vendor was slow to open is closed like the others", async () => {
    await booksAgree(suite, "demo");
    // This session opens between the close of the others and the end of the service.
    await suite.simulator.script("voice", [{ delayMs: 3_500 }]);
    const opening = openSession(suite, { model: "live" });
    await until("its hold", async () => (await money(suite)).heldNanos !== "0");
    suite.process("realtime").signal("SIGTERM");
    expect((await (await opening).closed).code).toBe(1001);
    expect(await suite.process("realtime").ended).toBe(0);
    await suite.restart("realtime");
    await booksAgree(suite, "demo");
  });

  test("a client that disconnects just before the service ends is charged for the reported usage", async () => {
    await booksAgree(suite, "demo");
    const before = (await storedEvents(suite.backends.natsUrl)).length;
    const session = await textSession(suite);
    session.send(say(simulated({ chunks: 500, chunkDelayMs: 100, bodyBytes: 5_000 })));
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

  test("the service is killed: every client's session ends, with the edge's error if an edge runs, and every hold ends once", async () => {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => textSession(suite)));
    for (const session of sessions) {
      session.send(say(simulated({ chunks: 500, chunkDelayMs: 10, bodyBytes: 5_000 })));
      session.send({ type: "response.create" });
      await session.next("response.output_text.delta");
    }
    suite.process("realtime").signal("SIGKILL");
    await suite.process("realtime").ended;
    for (const { closed, texts } of sessions) {
      if (shape === "one") expect((await closed).code).toBe(1006);
      else {
        expect(await closed).toEqual({ code: 1012, reason: "server_overloaded" });
        expect(JSON.parse(texts.at(-1) ?? "")).toMatchObject({ type: "error", error: { code: "server_overloaded" } });
      }
      for (const text of texts) expect(JSON.parse(text)).toHaveProperty("event_id");
    }
    await suite.restart("realtime");
    await booksAgree(suite, "demo");
  });

  test("the service is killed: sessions of GPT-Live end too, and each is settled once", async () => {
    await booksAgree(suite, "demo");
    const audio = Buffer.alloc(2 * 48_000).toString("base64");
    const sessions = await Promise.all(Array.from({ length: 5 }, () => liveSession(suite, "talk")));
    for (const session of sessions) {
      session.send({ type: "session.input_audio.append", audio });
      await session.next("session.usage.updated");
    }
    suite.process("realtime").signal("SIGKILL");
    await suite.process("realtime").ended;
    for (const { closed } of sessions) expect((await closed).code).toBe(shape === "one" ? 1006 : 1012);
    await suite.restart("realtime");
    const events = await usageEvents(suite, "talk", sessions.length);
    expect(events).toHaveLength(sessions.length);
    for (const { event } of events) expect(event).toMatchObject({ estimated: true });
    await booksAgree(suite, "demo");
  });

  test("Redis is unavailable during a session: it waits, gets an error, and continues", async () => {
    const session = await textSession(suite);
    session.send(say(simulated({ chunks: 20, chunkDelayMs: 20 })));
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
});
