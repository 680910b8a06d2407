import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ResolvedChannel } from "@modelgate/catalog";
import { openTransport, readChannelStates, type Transport } from "@modelgate/channels";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import {
  startLocalBackends,
  startScriptedServer,
  type LocalBackends,
  type ScriptedAnswer,
  type ScriptedServer,
} from "@modelgate/testkit";
import { proxyKinds, startProxy } from "../../../../libs/channels/test/proxies.ts";
import { VendorLists } from "../../src/configuration/vendor-lists.ts";
import { vendorRoutes } from "../../src/vendors/routes.ts";

const { log } = createLogger("test", "silent");
let answer: ScriptedAnswer = {};
let vendor: ScriptedServer;
const requestLines = () =>
  vendor.requests.map(({ method, url, headers }) => `${method} ${url} ${headers.authorization}`);
let backends: LocalBackends;
let redis: Redis;
let transport: Transport;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, log);
  transport = openTransport();
  vendor = await startScriptedServer(() => answer);
});
afterAll(async () => {
  await vendor?.[Symbol.asyncDispose]();
  await transport?.[Symbol.asyncDispose]();
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await redis.flushall();
  vendor.requests.length = 0;
});

const channel = (): ResolvedChannel => ({
  configuration: { id: "g", provider: "groq", models: "*" },
  baseUrl: `${vendor.url}/openai/v1`,
  keys: ["k"],
});
/** Returns the channel's listed models, or the reason why it is disabled. */
async function listed(everyMs = 3_600_000) {
  const lists = new VendorLists({ redis, transport, log, everyMs });
  const { channels, lists: found } = await lists.complete([channel()]);
  return { off: channels[0]?.off, models: found.get("g") };
}
const cooldowns = async () =>
  [...(await readChannelStates(redis)).cooldowns].map(([scope, { reason }]) => [scope, reason]);

test("a vendor's list is read once an hour for all replicas, with the channel's key", async () => {
  answer = { status: 200, body: { object: "list", data: [{ id: "b" }, { id: "a" }, { id: "b" }] } };
  expect(await listed()).toEqual({ off: undefined, models: ["a", "b"] });
  expect(await listed()).toEqual({ off: undefined, models: ["a", "b"] });
  expect(requestLines()).toEqual(["GET /openai/v1/models Bearer k"]);
});

test("a model that its vendor no longer lists is in cooldown, and is used again once it is listed", async () => {
  answer = { status: 200, body: { data: [{ id: "a" }, { id: "b" }] } };
  await listed(0);
  answer = { status: 200, body: { data: [{ id: "a" }] } };
  expect(await listed(0)).toEqual({ off: undefined, models: ["a", "b"] });
  expect(await cooldowns()).toEqual([["g#b", "its vendor no longer lists it"]]);
  answer = { status: 200, body: { data: [{ id: "a" }, { id: "b" }] } };
  await listed(0);
  expect(await cooldowns()).toEqual([]);
});

test("the last list of a vendor that does not answer is kept", async () => {
  answer = { status: 200, body: { data: [{ id: "a" }] } };
  await listed(0);
  answer = { status: 500, body: {} };
  expect(await listed(0)).toEqual({ off: undefined, models: ["a"] });
  expect(await cooldowns()).toEqual([]);
});

test.each([
  [{ status: 401, body: { error: { message: "no" } } }, /^its vendor answered 401/],
  [{ status: 200, body: { data: [] } }, /^its vendor lists no model$/],
  [{ status: 200, body: "words" }, /cannot be read/],
])("a channel whose vendor answers %j is off, with the reason", async (first, why) => {
  answer = first;
  expect((await listed()).off).toMatch(why);
});

test("for a vendor without a list, the error says that its models must be named", async () => {
  const lists = new VendorLists({ redis, transport, log, everyMs: 0 });
  const { channels } = await lists.complete([
    { ...channel(), configuration: { id: "p", provider: "perplexity", models: "*" } },
  ]);
  expect(channels[0]?.off).toBe("perplexity does not list its models: name them yourself");
});

describe.each(proxyKinds)("a %s proxy", (kind) => {
  test("carries the request for a channel's list, but not to a link-local address", async () => {
    answer = { status: 200, body: { data: [{ id: "a" }] } };
    await using proxy = await startProxy[kind]();
    const { port } = new URL(vendor.url);
    const lists = new VendorLists({ redis, transport, log, everyMs: 0 });
    const at = async (host: string) => {
      const baseUrl = `http://${host}:${port}/openai/v1`;
      const { channels, lists: found } = await lists.complete([{ ...channel(), baseUrl, proxy: proxy.url }]);
      return { off: channels[0]?.off, models: found.get("g") };
    };
    expect(await at("vendor.example")).toEqual({ off: undefined, models: ["a"] });
    expect(await at("forbidden.example")).toEqual({ off: expect.stringContaining("proxy"), models: [] });
    expect(await at("169.254.169.254")).toEqual({ off: expect.stringContaining("link-local"), models: [] });
    expect(proxy.targets).toEqual([`vendor.example:${port}`, `forbidden.example:${port}`]);
    expect(requestLines()).toHaveLength(1);
  });

  test("that is the default carries the request for the models of a vendor that is being added", async () => {
    answer = { status: 200, body: { data: [{ id: "gpt-4o" }] } };
    await using proxy = await startProxy[kind]();
    const { port } = new URL(vendor.url);
    const routes = vendorRoutes(transport, [], { defaultProxy: proxy.url });
    const at = async (host: string) =>
      await routes["POST /vendors/models"]?.({
        params: {},
        query: new URLSearchParams(),
        body: { provider: "openai", baseUrl: `http://${host}:${port}/v1`, key: "sk-0123456789abcdef" },
        actor: "test",
        operator: { name: "test", role: "operator" },
        headers: {},
        address: "",
      });
    expect(await at("vendor.example")).toMatchObject({ models: [{ id: "gpt-4o" }], message: null });
    await expect(at("169.254.169.254")).rejects.toMatchObject({ code: "invalid_value", param: "baseUrl" });
    expect(proxy.targets).toEqual([`vendor.example:${port}`]);
  });
});
