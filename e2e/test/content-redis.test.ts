import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalRedis, startLocalSuite, until, type LocalRedis, type Suite } from "@modelgate/testkit";
import { onRedis } from "../chaos/redis-log.ts";
import { channel, config as baseConfig, hello, keys, post } from "./suite-client.ts";
import { openSession, price } from "./realtime-client.ts";

let contentRedis: LocalRedis;
let suite: Suite;
beforeAll(async () => {
  contentRedis = await startLocalRedis();
  // Services must start without this Redis.
  await contentRedis.kill();
  suite = await startLocalSuite({
    config: {
      ...baseConfig,
      models: { ...baseConfig.models, live: { kind: "realtime", price } },
      channels: [...baseConfig.channels, channel("voice", ["live"])],
    },
    env: { CONTENT_REDIS_URL: contentRedis.url },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await contentRedis?.[Symbol.asyncDispose]();
});

async function call(path: string, body?: object) {
  const answer = await fetch(suite.edgeUrl + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body: JSON.parse(text) };
}

const secretWish = { session: { type: "realtime", model: "live", instructions: "Answer as a pirate." } };
/** Calls that are answered without this Redis. The response of the last one is then not stored. */
const callsWithoutContent: readonly (readonly [path: string, body: object])[] = [
  ["/v1/chat/completions", hello("fixed")],
  ["/v1/messages", { ...hello("fixed"), max_tokens: 100 }],
  ["/v1/responses", { model: "fixed", input: "Hello" }],
];
const storingCalls: readonly (readonly [path: string, body: object])[] = [
  ["/v1/conversations", { items: [{ type: "message", role: "user", content: "Hello" }] }],
  ["/v1/responses", { model: "fixed", input: "Hello", background: true }],
  ["/v1/realtime/client_secrets", secretWish],
];
const unavailable = { status: 503, retryAfter: "1", body: { error: { code: "server_overloaded" } } };

async function expectOnlyContentRefused(): Promise<void> {
  for (const [path, body] of callsWithoutContent) expect([path, (await call(path, body)).status]).toEqual([path, 200]);
  for (const [path, body] of storingCalls) expect([path, await call(path, body)]).toMatchObject([path, unavailable]);
  expect((await post(suite, { ...hello("fixed"), stream: true })).status).toBe(200);
}

async function expectAllServed(): Promise<void> {
  await until("the Redis of content to be connected again", async () => (await call(...conversation)).status === 200);
  for (const [path, body] of [...callsWithoutContent, ...storingCalls])
    expect([path, (await call(path, body)).status]).toEqual([path, 200]);
}
const conversation = ["/v1/conversations", { items: [] }] as const;

test("services start while it is unavailable, and answer every call that stores nothing", async () => {
  await expectOnlyContentRefused();
  expect(await call("/v1/responses/resp_unknown")).toMatchObject(unavailable);
  const metrics = await (await fetch(`${suite.opsUrl("edge")}/metrics`)).text();
  expect(metrics).toMatch(/modelgate_store_up\{store="content".*\} 0/);
  expect(metrics).toMatch(/modelgate_store_up\{store="redis".*\} 1/);
});

test("it is used as soon as it is available; all its records expire, and the Redis of money has no content", async () => {
  await contentRedis.start();
  await expectAllServed();
  const kept = await onRedis(contentRedis.url, async (redis) => {
    const names = await redis.keys("*");
    return await Promise.all(names.map(async (name) => [name, await redis.pttl(name)] as const));
  });
  // PTTL -1 means no time to live. A volatile policy never evicts such a key.
  expect(kept.filter(([, ms]) => ms === -1).map(([name]) => name)).toEqual([]);
  const kinds = ["background-events", "content-sizes", "conversation", "conversation-items", "response"];
  const found = new Set(kept.map(([name]) => name.split(":")[0]));
  for (const kind of [...kinds, "session-settings"]) expect([...found]).toContain(kind);
  const moneyKeys = await onRedis(suite.backends.redisUrl, (redis) => redis.keys("*"));
  expect(moneyKeys.filter((name) => found.has(name.split(":")[0]))).toEqual([]);
});

test("a client secret opens a session with the settings stored there, and gets 503 while it is unavailable", async () => {
  const { body } = await call("/v1/realtime/client_secrets", secretWish);
  const session = await openSession(suite, { key: body.value });
  expect((await session.next("session.updated")).session).toMatchObject({ instructions: "Answer as a pirate." });
  session.socket.close();
  await contentRedis.kill();
  await expect(openSession(suite, { key: body.value })).rejects.toThrow("503");
  // Opening a session with an API key needs no stored settings.
  (await openSession(suite, { key: keys.demo, model: "live" })).socket.close();
  await contentRedis.start();
  await expectAllServed();
});

test("calls that store nothing are answered while it is full", async () => {
  const bound = (bytes: string) => onRedis(contentRedis.url, (redis) => redis.config("SET", "maxmemory", bytes));
  expect(await bound("1")).toBe("OK");
  await expectOnlyContentRefused();
  expect(await bound("0")).toBe("OK");
  await expectAllServed();
});
