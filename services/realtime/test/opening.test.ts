import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import {
  channel,
  keys,
  limits,
  openSession,
  price,
  sessionRefusal,
  startSessions,
  usageEvents,
} from "./start-sessions.ts";
import { withSessionType } from "../src/client-secrets.ts";
import { ask, handshake, textOnly } from "./session-client.ts";

const faults = [
  { name: "refuses the gateway's key", step: { status: 401 }, status: 502, code: "upstream_auth_failed" },
  {
    name: "limits the gateway's key",
    step: { status: 429, retryAfter: "1" },
    status: 429,
    code: "upstream_rate_limited",
  },
  { name: "is overloaded", step: { status: 503 }, status: 502, code: "upstream_error" },
  {
    name: "refuses the request",
    step: { status: 400, errorCode: "no_such_voice" },
    status: 400,
    code: "no_such_voice",
  },
  { name: "opens with an error", step: { openWith: "error" }, status: 502, code: "upstream_error" },
  { name: "opens with garbage", step: { openWith: "garbage" }, status: 502, code: "upstream_error" },
  { name: "opens and closes", step: { openWith: "close" }, status: 502, code: "upstream_error" },
  { name: "resets the connection", step: { closeBeforeHead: true }, status: 502, code: "upstream_error" },
];
const instanceOf = (name: string): string => `live-${name.replaceAll(/\W/g, "-")}`;

const config = {
  limits,
  models: {
    chat: { kind: "chat", price: { input: 1 } },
    live: { kind: "realtime", price },
    "live-fallback": { kind: "realtime", price },
    "live-narrow": { kind: "realtime", price },
    ...Object.fromEntries(faults.map(({ name }) => [instanceOf(name), { kind: "realtime", price }])),
    "live-spoken": { kind: "realtime", price },
    "live-poor": { kind: "realtime", price: { output: 20_000 } },
  },
  channels: [
    channel("voice", ["live", "live-poor"]),
    channel("first", ["live-fallback"], { priority: 2 }),
    channel("second", ["live-fallback"], { priority: 1 }),
    ...faults.map(({ name }) => channel(instanceOf(name), [instanceOf(name)])),
    ...[1, 2, 3, 4, 5].map((at) => channel(`mute-${at}`, ["live-spoken"], { wires: ["speech"], priority: 5 })),
    channel("spoken", ["live-spoken"]),
    channel("tight", ["live-narrow"], { maxConcurrency: 1 }),
  ],
};

let area: Area;
beforeAll(async () => {
  area = await startSessions(config);
});
afterAll(() => area?.[Symbol.asyncDispose]());

describe("refused before the upgrade, as HTTP with the error body", () => {
  test.each<[string, string, Record<string, string>, string, number, string]>([
    ["an unknown model", "?model=nothing", {}, keys.demo, 404, "model_not_found"],
    ["a model of another kind", "?model=chat", {}, keys.demo, 404, "model_not_found"],
    ["a model that the key may not use", "?model=live", {}, keys.narrow, 403, "model_not_allowed"],
    ["no model, and no default", "", {}, keys.narrow, 400, "missing_required_parameter"],
    ["two models", "?model=live&model=chat", {}, keys.demo, 400, "invalid_value"],
    ["a call to join", "?call_id=rtc_1", {}, keys.demo, 400, "unsupported_parameter"],
    ["an insufficient balance", "?model=live-poor", {}, keys.poor, 402, "insufficient_quota"],
    ["a wrong nonce", "?model=live", { "sec-websocket-key": "short" }, keys.demo, 400, "invalid_value"],
    ["an old version", "?model=live", { "sec-websocket-version": "8" }, keys.demo, 400, "invalid_value"],
  ])("%s", async (_, query, headers, key, status, code) => {
    const requestsBefore = (await area.simulator.requests("voice")).length;
    const answer = await sessionRefusal(area, `/v1/realtime${query}`, { ...handshake, ...headers }, key);
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
    expect(await area.simulator.requests("voice")).toHaveLength(requestsBefore);
  });

  test("a plain GET gets 400", async () => {
    const response = await fetch(`${area.url}/v1/realtime?model=live`, {
      headers: { authorization: `Bearer ${keys.demo}` },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "websocket_required" } });
  });

  test("a channel without a free seat gets 429 until its session ends, even if the session is not settled", async () => {
    await area.settled("demo"); // no other session has a hold
    const session = await openSession(area, { model: "live-narrow" });
    const [holdKey = expect.fail("no hold")] = await area.redis.keys("hold:*");
    // The script that releases the hold fails while its key has another type.
    await area.redis.multi().rename(holdKey, "aside").set(holdKey, "").exec();
    const answer = await sessionRefusal(area, "/v1/realtime?model=live-narrow", handshake);
    expect(answer).toMatchObject({ status: 429, body: { error: { code: "channel_concurrency_exceeded" } } });
    session.socket.close();
    await until("the seat to be back", () =>
      openSession(area, { model: "live-narrow" }).then(
        ({ socket }) => (socket.close(), true),
        () => false,
      ),
    );
    await area.redis.rename("aside", holdKey);
    // The seat was not back because the release had been given up.
    await area.settled("demo");
  });

  test.each(faults)("a vendor that $name", async ({ name, step, status, code }) => {
    await area.simulator.script(instanceOf(name), [{ ...step, repeat: true }]);
    const answer = await sessionRefusal(area, `/v1/realtime?model=${instanceOf(name)}`, handshake);
    expect(answer).toMatchObject({ status, body: { error: { code } } });
  });

  test("no session's hold remains", async () => {
    expect(await area.settled("demo")).toMatchObject({ heldNanos: 0n });
  });
});

test("without a model the first realtime model that the key may call is used", async () => {
  const session = await openSession(area);
  expect((await session.next("session.created")).session.model).toBe("live");
  expect(session.headers["x-request-id"]).toMatch(/^req_/);
  expect(session.headers["sec-websocket-extensions"]).toBeUndefined();
  session.socket.close();
});

test("a channel that fails is skipped for this session and, while it is in cooldown, for the next", async () => {
  await area.simulator.script("first", [{ status: 401, repeat: true }]);
  for (const attempts of [2, 1]) {
    const session = await openSession(area, { model: "live-fallback" });
    session.send(textOnly);
    await ask(session, "Hello");
    session.socket.close();
    const events = await usageEvents(area, "live-fallback", 3 - attempts);
    expect(events.at(-1)).toMatchObject({ channelId: "second", attempts });
  }
  expect(await area.simulator.requests("first")).toHaveLength(1);
});

test("a session skips channels whose vendors have no endpoint for it, without counting an attempt", async () => {
  const session = await openSession(area, { model: "live-spoken" });
  session.send(textOnly);
  await ask(session, "Hello");
  session.socket.close();
  const [stored] = await usageEvents(area, "live-spoken", 1);
  expect(stored).toMatchObject({ channelId: "spoken", attempts: 1 });
});

test("the settings of a client secret have the type that the vendor requires, except in the beta form", () => {
  const settings = { model: "live", instructions: "Answer as a pirate." };
  expect(withSessionType(settings, { isBeta: false })).toEqual({ ...settings, type: "realtime" });
  expect(withSessionType(settings, { isBeta: true })).toEqual(settings);
});

test.each([
  ["no model", { session: { type: "realtime" } }, 400, "session.model"],
  ["an unknown model", { session: { model: "none" } }, 404, "model"],
  ["a model of another kind", { session: { model: "chat" } }, 404, "model"],
  [
    "a lifetime of a day",
    { session: { model: "live" }, expires_after: { seconds: 86_400 } },
    400,
    "expires_after.seconds",
  ],
])("a client secret is refused for %s", async (_, body, status, param) => {
  const answer = await area.post("/v1/realtime/client_secrets", body, keys.demo);
  expect([answer.status, await answer.json()]).toMatchObject([status, { error: { param } }]);
});
