import { once } from "node:events";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { channel, config as baseConfig, keys } from "./suite-client.ts";
import { ask, booksAgree, handshake, price, userMessage, simulated, textSession } from "./realtime-client.ts";

const config = {
  ...baseConfig,
  models: { ...baseConfig.models, live: { kind: "realtime", price } },
  channels: [...baseConfig.channels, channel("voice", ["live"])],
};

// Separate processes, so that the edge drains first. drain-end.test.ts tests one process.
let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ fresh: true, shape: "apart", config, envOf: { edge: { DRAIN_MS: "6000" } } });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

test("an edge that shuts down admits no session; open ones get their time, and are closed with 1001", async () => {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => textSession(suite)));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${keys.demo}` };
  const listed = await once(request(`${suite.edgeUrl}/v1/models`, { agent, headers }).end(), "response");
  await once(listed[0].resume(), "end");
  suite.process("edge").signal("SIGTERM");
  await until("it to drain", () => suite.process("edge").logs().includes("draining"));
  const late = request(`${suite.edgeUrl}/v1/realtime?model=live`, {
    agent,
    headers: { ...headers, ...handshake },
  }).end();
  const [refused] = await once(late, "response");
  expect(refused.statusCode).toBe(503);
  refused.resume();
  for (const done of await Promise.all(sessions.slice(0, 5).map((session) => ask(session, "Still there?"))))
    expect(done.response.status).toBe("completed");
  const [talking] = sessions;
  talking?.send(userMessage(simulated({ chunks: 5_000, chunkDelayMs: 10, bodyBytes: 5_000 })));
  talking?.send({ type: "response.create" });
  for (const { closed } of sessions)
    expect(await closed).toEqual({ code: 1001, reason: "the gateway is shutting down; reconnect" });
  expect(await suite.process("edge").ended).toBe(0);
  await suite.restart("edge");
  await booksAgree(suite, "demo");
});
