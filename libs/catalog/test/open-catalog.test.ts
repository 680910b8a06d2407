import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { proxyUrlProblem } from "@modelgate/contracts";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import { startLocalBackends, until, type LocalBackends } from "@modelgate/testkit";
import {
  openCatalog,
  publishConfiguration,
  publishedKey,
  publishedVersion,
  type ResolvedChannel,
} from "../src/index.ts";

const { log } = createLogger("test", "silent");
const secret = "a secret of some length";

let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, log);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(async () => void (await redis.flushall()));

const groups = { all: { models: ["*"] } };
const models = { chat: { kind: "chat" as const } };

function channelWith(key: string, more: Partial<ResolvedChannel> = {}): ResolvedChannel {
  const baseUrl = "https://v.example";
  const configuration = { id: "main", provider: "openai", baseUrl, keys: ["env:KEY"], models: ["chat"] };
  return { configuration, baseUrl, keys: [key], ...more };
}
const publish = (key: string, by = secret, more: Partial<ResolvedChannel> = {}) =>
  publishConfiguration(redis, { groups, models }, [channelWith(key, more)], [by]);

describe("a published catalogue", () => {
  test("contains no vendor key and no proxy, and is read with the secret that encrypted it", async () => {
    await publish("canary-key", secret, {
      proxy: "http://me:canary@p.example:3128",
      headers: { "x-tenant": "canary" },
    });
    expect(await redis.get(publishedKey)).not.toContain("canary");
    await using catalog = await openCatalog({ redis, secrets: [secret], log });
    const [candidate] = catalog.current().candidates("chat", "all");
    expect(candidate?.channel).toMatchObject({ id: "main", priority: 0, weight: 1, timeoutMs: 600_000 });
    expect(candidate?.channel.headers).toEqual({ "x-tenant": "canary" });
    expect(candidate?.channel.proxy).toBe("http://me:canary@p.example:3128");
    expect(candidate?.channel.keys.map((key) => key.secret)).toEqual(["canary-key"]);
    expect(candidate?.channel.keys[0]?.id).toMatch(/^[0-9a-f]{12}$/);
  });

  test("is read with the longest address of a proxy", async () => {
    const proxy = `http://me:${"x".repeat(1_980)}@p.example`;
    expect(proxyUrlProblem(proxy)).toBeUndefined();
    expect(proxyUrlProblem(proxy.replace("x", "xx"))).toBe("is longer than 2000 characters");
    await publish("key", secret, { proxy });
    await using catalog = await openCatalog({ redis, secrets: [secret], log });
    expect(catalog.current().candidates("chat", "all")[0]?.channel.proxy).toBe(proxy);
  });

  test("has the same version for the same content, and another one for another key, address, proxy or reason", async () => {
    const first = await publish("one");
    expect(first).toMatch(/^[0-9a-f]{12}$/);
    expect(await publish("one")).toBe(first);
    const others = [
      await publish("two"),
      await publish("one", secret, { baseUrl: "https://w.example" }),
      await publish("one", secret, { proxy: "http://p.example" }),
      await publish("one", secret, { headers: { "x-tenant": "a" } }),
      await publish("one", secret, { off: "KEY is not set" }),
    ];
    expect(new Set([first, ...others]).size).toBe(6);
    expect(await publishedVersion(redis)).toBe(others.at(-1));
  });

  test("has no version if it is missing or unreadable", async () => {
    expect(await publishedVersion(redis)).toBeUndefined();
    await redis.set(publishedKey, "no JSON");
    expect(await publishedVersion(redis)).toBeUndefined();
  });
});

test("a disabled channel is listed with its reason, and serves no calls", async () => {
  await publish("one", secret, { off: "KEY is not set" });
  await using catalog = await openCatalog({ redis, secrets: [secret], log });
  expect(catalog.current().channels.map(({ off }) => off)).toEqual(["KEY is not set"]);
  expect(catalog.current().candidates("chat", "all")).toEqual([]);
});

describe("a process that subscribes", () => {
  test("has no configuration before the first one, reports this, and loads each announced one", async () => {
    await using catalog = await openCatalog({ redis, secrets: [secret], log });
    expect(catalog.ready).toBe(false);
    expect(() => catalog.current()).toThrow(expect.objectContaining({ code: "server_overloaded", status: 503 }));
    const first = await publish("one");
    await until("the first to be loaded", () => catalog.ready && catalog.current().version === first);
    const second = await publish("two");
    await until("the second to be loaded", () => catalog.current().version === second);
  });

  test("keeps its catalog while the version is the same", async () => {
    await publish("one");
    await using catalog = await openCatalog({ redis, secrets: [secret], log });
    const before = catalog.current();
    await publish("one");
    await catalog.refresh();
    expect(catalog.current()).toBe(before);
  });

  test.each([
    ["encrypted with another secret", () => publish("two", "another secret, as long")],
    ["no JSON", () => redis.set(publishedKey, "no JSON")],
    ["gone", () => redis.del(publishedKey)],
  ])("keeps the last valid one if the published one is %s, and loads the next", async (_, spoil) => {
    const first = await publish("one");
    await using catalog = await openCatalog({ redis, secrets: [secret], log });
    await spoil();
    await catalog.refresh();
    await catalog.refresh();
    expect(catalog.current().version).toBe(first);
    const third = await publish("three");
    await catalog.refresh();
    expect(catalog.current().version).toBe(third);
  });

  test("waits for a new one if the published one is unreadable at its start", async () => {
    await publish("one", "another secret, as long");
    await using catalog = await openCatalog({ redis, secrets: [secret], log });
    expect(catalog.ready).toBe(false);
    await publish("one");
    await until("the new one to be loaded", () => catalog.ready);
  });
});
