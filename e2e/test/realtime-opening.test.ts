import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { channel, config as house, keys } from "./house.ts";
import { ask, handshake, openSession, refusal, textOnly } from "./realtime-client.ts";
import { limits, nothingHeld, price, usageEvents } from "./realtime-house.ts";

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
  { name: "opens and says nothing", step: { openWith: "silence" }, status: 504, code: "upstream_timeout" },
  { name: "opens with an error", step: { openWith: "error" }, status: 502, code: "upstream_error" },
  { name: "opens with garbage", step: { openWith: "garbage" }, status: 502, code: "upstream_error" },
  { name: "opens and closes", step: { openWith: "close" }, status: 502, code: "upstream_error" },
  { name: "resets the connection", step: { closeBeforeHead: true }, status: 502, code: "upstream_error" },
];
const instanceOf = (name: string): string => `live-${name.replaceAll(/\W/g, "-")}`;

/** Prices at which every unit shows in the sum. */
const config = {
  ...house,
  models: {
    ...house.models,
    live: { kind: "realtime", price },
    "live-fallback": { kind: "realtime", price },
    "live-narrow": { kind: "realtime", price },
    ...Object.fromEntries(faults.map(({ name }) => [instanceOf(name), { kind: "realtime", price }])),
    "live-spoken": { kind: "realtime", price },
    "live-poor": { kind: "realtime", price: { output: 20_000 } },
  },
  channels: [
    ...house.channels,
    channel("voice", ["live", "live-poor"]),
    channel("first", ["live-fallback"], { priority: 2 }),
    channel("second", ["live-fallback"], { priority: 1 }),
    ...faults.map(({ name }) => channel(instanceOf(name), [instanceOf(name)])),
    ...[1, 2, 3, 4, 5].map((at) => channel(`mute-${at}`, ["live-spoken"], { wires: ["speech"], priority: 5 })),
    channel("spoken", ["live-spoken"]),
    channel("tight", ["live-narrow"], { maxConcurrency: 1 }),
  ],
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ shape: "apart", config, env: { CORS_ORIGINS: "https://app.example" }, limits });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

describe("refused before the upgrade, as HTTP with the error body", () => {
  const authorization = `Bearer ${keys.demo}`;
  test.each<[string, string, Record<string, string>, number, string]>([
    ["no key", "?model=live", {}, 401, "invalid_api_key"],
    ["an unknown key", "?model=live", { authorization: "Bearer sk-unknown-0123456789" }, 401, "invalid_api_key"],
    ["two keys", "?model=live", { authorization, "x-api-key": keys.poor }, 401, "contradicting_api_keys"],
    ["an expired key", "?model=live", { "api-key": keys.expired }, 401, "api_key_expired"],
    ["a model that is not there", "?model=nothing", { authorization }, 404, "model_not_found"],
    ["a model of another kind", "?model=chat", { authorization }, 404, "model_not_found"],
    ["a model outside the key's", "?model=live", { "x-api-key": keys.narrow }, 403, "model_not_allowed"],
    ["no model, and none to take", "", { authorization: `Bearer ${keys.narrow}` }, 400, "missing_required_parameter"],
    ["two models", "?model=live&model=chat", { authorization }, 400, "invalid_value"],
    ["a call to join", "?call_id=rtc_1", { authorization }, 400, "unsupported_parameter"],
    ["too little money", "?model=live-poor", { authorization: `Bearer ${keys.poor}` }, 402, "insufficient_quota"],
    ["a wrong nonce", "?model=live", { authorization, "sec-websocket-key": "short" }, 400, "invalid_value"],
    ["an old version", "?model=live", { authorization, "sec-websocket-version": "8" }, 400, "invalid_value"],
    ["a foreign page", "?model=live", { authorization, origin: "https://evil.example" }, 403, "origin_not_allowed"],
    ["another protocol", "?model=live", { authorization, upgrade: "h2c" }, 400, "websocket_required"],
  ])("%s", async (_, query, headers, status, code) => {
    const seen = (await suite.simulator.requests("voice")).length;
    const answer = await refusal(suite, `/v1/realtime${query}`, { ...handshake, ...headers });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
    expect(await suite.simulator.requests("voice")).toHaveLength(seen);
  });

  test("a plain GET is 400", async () => {
    const response = await fetch(`${suite.edgeUrl}/v1/realtime?model=live`, { headers: { authorization } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "websocket_required" } });
  });

  test("a second session of a key with one seat is 429 until the first has ended", async () => {
    const session = await openSession(suite, { model: "live", key: keys.single });
    const headers = { ...handshake, authorization: `Bearer ${keys.single}` };
    expect(await refusal(suite, "/v1/realtime?model=live", headers)).toMatchObject({ status: 429 });
    session.socket.close();
    await session.closed;
    await until("the seat to be back", () =>
      openSession(suite, { model: "live", key: keys.single }).then(
        ({ socket }) => (socket.close(), true),
        () => false,
      ),
    );
  });

  test("a channel whose seats are taken is 429 until one is free", async () => {
    const session = await openSession(suite, { model: "live-narrow" });
    const headers = { ...handshake, authorization };
    const answer = await refusal(suite, "/v1/realtime?model=live-narrow", headers);
    expect(answer).toMatchObject({ status: 429, body: { error: { code: "channel_concurrency_exceeded" } } });
    session.socket.close();
    await until("the seat to be back", () =>
      openSession(suite, { model: "live-narrow" }).then(
        ({ socket }) => (socket.close(), true),
        () => false,
      ),
    );
  });

  test.each(faults)("a vendor that $name", async ({ name, step, status, code }) => {
    await suite.simulator.script(instanceOf(name), [{ ...step, repeat: true }]);
    const answer = await refusal(suite, `/v1/realtime?model=${instanceOf(name)}`, { ...handshake, authorization });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
  });

  test("nothing is held for any of them afterwards", async () => {
    expect(await nothingHeld(suite)).toBe(true);
  });
});

test("without a model the first realtime model that the key may call is taken", async () => {
  const session = await openSession(suite);
  expect((await session.next("session.created")).session.model).toBe("live");
  expect(session.headers["x-request-id"]).toMatch(/^req_/);
  expect(session.headers["sec-websocket-extensions"]).toBeUndefined();
  session.socket.close();
});

test("a channel that fails is passed over, for this session and, resting, for the next", async () => {
  await suite.simulator.script("first", [{ status: 401, repeat: true }]);
  for (const attempts of [2, 1]) {
    const session = await openSession(suite, { model: "live-fallback" });
    session.send(textOnly);
    await ask(session, "Hello");
    session.socket.close();
    const events = await usageEvents(suite, "live-fallback", 3 - attempts);
    expect(events.at(-1)?.event).toMatchObject({ channelId: "second", attempts });
  }
  expect(await suite.simulator.requests("first")).toHaveLength(1);
});

test("a session skips the channels whose vendors have no endpoint for it, without using up an attempt", async () => {
  const session = await openSession(suite, { model: "live-spoken" });
  session.send(textOnly);
  await ask(session, "Hello");
  session.socket.close();
  const [stored] = await usageEvents(suite, "live-spoken", 1);
  expect(stored?.event).toMatchObject({ channelId: "spoken", attempts: 1 });
});
