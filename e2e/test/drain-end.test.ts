import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Shape, type Suite } from "@modelgate/testkit";
import { brokenStreams } from "./broken-streams.ts";
import { storedEvents } from "./events.ts";
import { price, textSession } from "./realtime-client.ts";
import { channel, config as baseConfig, hello, keys, money, post, startInShapes } from "./suite-client.ts";

let suites: Readonly<Record<Shape, Suite>>;
beforeAll(async () => {
  const models = { chat: baseConfig.models.chat, live: { kind: "realtime", price } };
  const config = { ...baseConfig, models, channels: [channel("main", ["chat"]), channel("voice", ["live"])] };
  // The drain is shorter than the answers, so that the services end the calls themselves.
  suites = await startInShapes((shape) => startSuite({ shape, config, env: { DRAIN_MS: "2000" } }));
});
afterAll(() => Promise.all(Object.values(suites ?? {}).map((suite) => suite[Symbol.asyncDispose]())));

const slow = 'Hi {{simulate: {"chunks": 800, "chunkDelayMs": 25}}}';
/** Responses end with `response.failed` of the service, or with `error` of the edge. */
const ofResponses = /\n\nevent: (response\.failed|error)\ndata: \{.*"sequence_number":[1-9].*\n\n$/;
const wires = brokenStreams("chat", slow).map((stream) =>
  stream.name === "responses" ? { ...stream, broken: ofResponses } : stream,
);

test.each([
  ["apart", "text"],
  ["apart", "edge"],
  ["one", "edge"], // ends all services
] as const)("services %s: the drain of the %s ends while streams are open", async (shape, name) => {
  const suite = suites[shape];
  const before = (await suite.simulator.requests("main")).length;
  const opened = wires.map(({ path, body }, at) =>
    fetch(suite.edgeUrl + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${keys.demo}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "x-request-id": `${name}-stream-${at}`,
      },
      body: JSON.stringify(body),
    }),
  );
  const delayedBody = hello("chat", 'Hi {{simulate: {"delayMs": 60000}}}');
  const whole = post(suite, delayedBody, keys.demo, { "x-request-id": `${name}-whole` });
  await until(
    "all requests to reach the vendor",
    async () => (await suite.simulator.requests("main")).length === before + wires.length + 1,
  );
  const answers = await Promise.all(opened);
  const session = shape === "one" ? await textSession(suite) : undefined;
  suite.process(name).signal("SIGTERM");
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  for (const [at, { path, broken }] of wires.entries()) expect(texts[at], path).toMatch(broken);
  const refused = await whole;
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ error: { code: "server_overloaded" } });
  if (session !== undefined) expect(await session.closed).toMatchObject({ code: 1001 });
  expect(await suite.process(name).ended).toBe(0);
  await suite.restart(name);

  const events = await until("an event of each", async () => {
    const stored = (await storedEvents(suite.backends.natsUrl)).map(({ event }) => event);
    const own = stored.filter(({ requestId }) => requestId.startsWith(`${name}-`));
    return own.length === wires.length + 1 && own;
  });
  const streams = events.filter(({ requestId }) => requestId.includes("stream"));
  expect(streams.map(({ outcome, status }) => [outcome, status])).toEqual(wires.map(() => ["failed", 200]));
  expect(streams.every(({ units, costNanos }) => (units.outputTokens ?? 0) > 0 && costNanos !== "0")).toBe(true);
  const [waited] = events.filter(({ requestId }) => requestId.includes("whole"));
  expect(waited).toMatchObject({ outcome: "failed", status: 503, costNanos: "0" });
  expect((await money(suite)).heldNanos).toBe("0");

  await until("calls to pass", async () => (await post(suite, hello("chat")).catch(() => undefined))?.status === 200);
  const metrics = await (await fetch(`${suite.opsUrl("text")}/metrics`)).text();
  // The shutdown of the gateway must not begin a cooldown.
  expect(metrics).not.toMatch(/modelgate_channel_state\{scope="main/);
});
