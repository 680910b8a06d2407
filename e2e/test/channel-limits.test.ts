import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { another, rival, channel, config, hello, post } from "./suite-client.ts";
import { shownChannel, switchedChannel } from "./operator.ts";
import { startReplica, type Replica } from "./replica.ts";

const chat = config.models.chat;
const accounts = { ...config.accounts, rival: rival.account };
const names = ["seat", "spare", "keyed", "minute", "queue", "mended", "leased"] as const;
/** Limits with a single attempt, so that a second channel hides no refusal. */
const limits = { relay: { attempts: { maxAttempts: 1 } } };
let suite: Suite;
let other: Replica;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      ...config,
      accounts,
      models: { ...config.models, ...Object.fromEntries(names.map((name) => [name, chat])) },
      channels: [
        ...config.channels,
        channel("seat", ["seat"], { maxConcurrency: 2 }),
        channel("spare-first", ["spare"], { maxConcurrency: 1, priority: 10 }),
        channel("spare-second", ["spare"]),
        channel("keyed", ["keyed"], { keys: ["keyed-one", "keyed-two"], keyConcurrency: 1 }),
        channel("minute", ["minute"], { requestsPerMinute: 3 }),
        channel("queue-first", ["queue"], { requestsPerMinute: 1, priority: 10 }),
        channel("queue-second", ["queue"]),
        channel("mended", ["mended"]),
        channel("leased", ["leased"], { maxConcurrency: 2 }),
      ],
    },
    limits,
  });
  other = await startReplica(suite, limits);
});
afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await suite?.[Symbol.asyncDispose]();
});

const count = async (name: string) => (await suite.simulator.requests(name)).length;
const showChannel = (id: string) => shownChannel(suite, id);
const ask = (at: number, model: string, content?: string) =>
  at % 2 === 0 ? post(suite, hello(model, content)) : post({ ...suite, edgeUrl: other.edgeUrl }, hello(model, content));
const slow = { delayMs: 60_000 };
const newAbortController = () => new AbortController();
function open(at: number, model: string, { signal }: AbortController): Promise<unknown> {
  const edgeUrl = at % 2 === 0 ? suite.edgeUrl : other.edgeUrl;
  return fetch(`${edgeUrl}/v1/chat/completions`, {
    method: "POST",
    signal,
    headers: { authorization: "Bearer sk-demo-0123456789abcdef", "content-type": "application/json" },
    body: JSON.stringify(hello(model)),
  }).catch(() => undefined);
}
const usedKeys = async (name: string) =>
  (await suite.simulator.requests(name)).map(({ headers }) => headers["authorization"] ?? "");

describe("seats", () => {
  test("are shared by all replicas; a full channel gets 429, is reported, and gets its seats back", async () => {
    await suite.simulator.script("seat", [slow, slow]);
    const clients = [newAbortController(), newAbortController()];
    const calls = clients.map((client, at) => open(at, "seat", client));
    await until("both calls to reach the vendor", async () => (await count("seat")) === 2);
    for (const at of [0, 1]) {
      const refused = await ask(at, "seat");
      expect(refused.status).toBe(429);
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(await refused.json()).toMatchObject({ error: { code: "channel_concurrency_exceeded" } });
    }
    expect(await count("seat")).toBe(2);
    expect(await showChannel("seat")).toMatchObject({ state: "ok", seats: { inUse: 2, max: 2 } });
    for (const client of clients) client.abort();
    await Promise.all(calls);
    await until("a seat to be released", async () => (await ask(1, "seat")).status === 200);
    await until("no seat to be in use", async () => {
      const { seats } = await showChannel("seat");
      return JSON.stringify(seats) === '{"inUse":0,"max":2}';
    });
  });

  test("a full channel does not count as an attempt: the next one is tried", async () => {
    await suite.simulator.script("spare-first", [slow]);
    const client = newAbortController();
    const call = open(0, "spare", client);
    await until("the first channel to be full", async () => (await count("spare-first")) === 1);
    for (const at of [0, 1]) expect((await ask(at, "spare")).status).toBe(200);
    expect([await count("spare-first"), await count("spare-second")]).toEqual([1, 2]);
    client.abort();
    await call;
  });

  test("of each key: other keys are used if one is full; 429 if all are full", async () => {
    await suite.simulator.script("keyed", [slow, slow]);
    const clients = [newAbortController(), newAbortController()];
    const calls = clients.map((client, at) => open(at, "keyed", client));
    await until("both keys to be in use", async () => (await count("keyed")) === 2);
    expect(new Set(await usedKeys("keyed")).size).toBe(2);
    expect((await ask(0, "keyed")).status).toBe(429);
    expect(await showChannel("keyed")).toMatchObject({
      seats: null,
      keys: [{ seats: { inUse: 1, max: 1 } }, { seats: { inUse: 1, max: 1 } }],
    });
    clients[0]?.abort();
    await until("a key's seat to be released", async () => (await ask(1, "keyed")).status === 200);
    clients[1]?.abort();
    await Promise.all(calls);
  });
});

test("a seat is held as long as its call, and released when its process is killed, while other calls continue", async () => {
  const leaseMs = 2_000;
  await using dying = await startReplica(suite, { relay: { ...limits.relay, channelLeaseMs: leaseMs } });
  const redis = new Redis(suite.backends.redisUrl);
  // The seat of the replica with short leases ends first.
  const expiry = async () => Number((await redis.zrange("channel:{leased}:seats:", "0", "0", "WITHSCORES"))[1] ?? 0);
  await suite.simulator.script("leased", [slow, slow, {}]);
  const [client, living] = [newAbortController(), newAbortController()];
  const others = open(1, "leased", living);
  await until("the other seat to be taken", async () => (await count("leased")) === 1);
  const call = fetch(`${dying.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    signal: client.signal,
    headers: { authorization: "Bearer sk-demo-0123456789abcdef", "content-type": "application/json" },
    body: JSON.stringify(hello("leased")),
  }).catch(() => undefined);
  await until("the seat to be taken", async () => (await count("leased")) === 2);
  const first = await expiry();
  await until("the lease to be renewed twice", async () => (await expiry()) > first + leaseMs / 2);
  expect((await ask(0, "leased")).status).toBe(429);
  dying.service.signal("SIGKILL");
  await until("the seat to be released", async () => (await ask(1, "leased")).status === 200);
  for (const each of [client, living]) each.abort();
  await Promise.all([call, others]);
  redis.disconnect();
});

describe("requests in a minute", () => {
  test("are counted across replicas; beyond the limit calls get 429 with retry-after", async () => {
    const statuses = [];
    for (let at = 0; at < 5; at++) statuses.push((await ask(at, "minute")).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const refused = await ask(0, "minute");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1);
    expect(await count("minute")).toBe(3);
  });

  test("a channel at its limit per minute does not count as an attempt", async () => {
    for (let at = 0; at < 4; at++) expect((await ask(at, "queue")).status).toBe(200);
    expect([await count("queue-first"), await count("queue-second")]).toEqual([1, 3]);
  });
});

test("a key that its vendor refuses is in a cooldown for the account that was refused, with the reason, and for all accounts once a second one is refused", async () => {
  const configured = (keys: readonly string[], more: object = {}) => ({
    ...config,
    models: { ...config.models, ...Object.fromEntries(names.map((name) => [name, chat])) },
    channels: [...config.channels, channel("mended", ["mended"], { keys, ...more })],
    accounts,
  });
  const keyId = createHash("sha256").update("bad-key").digest("hex").slice(0, 12);
  const refused = { state: "refused", reason: expect.stringMatching(/^\w+$/), until: expect.stringContaining("T") };
  const askRival = () => post(suite, another("mended"), rival.key);
  suite.configure(configured(["bad-key"]));
  await until("the key to be refused", async () => (await ask(0, "mended")).status === 502);
  await until("the other replica to know", async () => (await ask(1, "mended")).status === 503);
  expect(await suite.ask("channel", "show", "mended")).toMatchObject({
    state: "ok",
    usableKeys: "1/1",
    accountCooldowns: [{ account: "demo", scope: `mended/${keyId}`, ...refused }],
    accountsInCooldown: 1,
  });
  const before = await count("mended");
  for (const at of [0, 1, 2]) expect((await ask(at, "mended")).status).toBe(503);
  expect(await count("mended")).toBe(before);

  expect((await askRival()).status).toBe(502);
  await until(
    "it to be in a cooldown for all accounts",
    async () => (await shownChannel(suite, "mended")).state === "no key",
  );
  expect(await suite.ask("channel", "show", "mended")).toMatchObject({
    usableKeys: "0/1",
    keys: [{ id: keyId, ...refused }],
  });

  suite.configure(configured(["bad-key"], { weight: 2 }));
  await until("it to be retried once", async () => (await ask(0, "mended")).status === 502);
  await until("it to be in a cooldown again", async () => (await ask(1, "mended")).status === 503);
  await switchedChannel(suite, "mended", "enable", { key: keyId });
  await until("it to be retried once", async () => (await ask(1, "mended")).status === 502);
});
