import { expect, test } from "vitest";
import { stringify } from "yaml";
import { parseConfiguration } from "../../src/configuration/read.ts";
import { resolveChannels, type StoredKeys } from "../../src/configuration/resolve.ts";

/** Resolves a channel with the members `more`, in a configuration with the further members `whole`. */
async function channelWith(
  environment: Readonly<Record<string, string>>,
  more: object,
  whole: object = {},
  storedKeys: StoredKeys = new Map(),
) {
  const usual = { id: "c", provider: "openai", baseUrl: "https://v.example/v1", keys: ["k"], models: ["m"] };
  const { configuration } = parseConfiguration(
    stringify({ groups: {}, models: { m: { kind: "chat" } }, channels: [{ ...usual, ...more }], ...whole }),
  );
  if (configuration === undefined) throw new Error("the configuration is wrong");
  const [channel] = await resolveChannels(configuration, environment, storedKeys);
  return channel;
}

async function resolved(baseUrl: string, environment: Readonly<Record<string, string>>) {
  const channel = await channelWith(environment, { baseUrl });
  return { baseUrl: channel?.baseUrl, off: channel?.off };
}

test("an address is filled in from the environment", async () => {
  expect(await resolved("${AT}/v1", { AT: "https://v.example" })).toEqual({ baseUrl: "https://v.example/v1" });
});

test.each([
  ["${AT}/v1", {}, /^AT is not set$/],
  ["${AT}/v1", { AT: "v.example" }, /base URL is not a URL/],
  ["${AT}/v1", { AT: "https://user:canary@v.example" }, /base URL has a user name or a password/],
  ["https://v.example${AT}", { AT: "/v1?key=canary" }, /base URL has a query/],
])("with the address %s of %j a channel is off, and a secret in it is not shown", async (written, environment, why) => {
  const { off, ...shown } = await resolved(written, environment);
  expect(off).toMatch(why);
  expect(JSON.stringify({ off, ...shown })).not.toContain("canary");
});

test.each([
  ["openai", "env:KEY", "sk-canary", undefined],
  ["openai", "env:KEY", "sk\ncanary", "KEY contains characters that are not allowed in a header"],
  ["jimeng", "env:KEY", "access|canary", undefined],
  ["jimeng", "env:KEY", "canary", "KEY is not a key of the form accessKey|secretKey"],
  ["jimeng", "canary", "", "keys[0] is not a key of the form accessKey|secretKey"],
  ["openai", "file:/nowhere/key", "", "/nowhere/key cannot be read"],
])("a key of %s that is %s, with the value %j: %s", async (provider, written, value, why) => {
  const channel = await channelWith({ KEY: value }, { provider, keys: [written] });
  expect({ off: channel?.off, keys: channel?.keys.length }).toEqual({ off: why, keys: why === undefined ? 1 : 0 });
});

const corporate = { PROXY: "http://me:canary@p.example:3128" };
test.each<[string, object, object, Readonly<Record<string, string>>, string | undefined]>([
  ["no proxy", {}, {}, {}, undefined],
  ["its own proxy", { proxy: "socks5://own.example" }, { proxy: "env:PROXY" }, {}, "socks5://own.example"],
  ["the default proxy", {}, { proxy: "env:PROXY" }, corporate, corporate.PROXY],
  ["no proxy, also with a default one", { proxy: "none" }, { proxy: "env:PROXY" }, {}, undefined],
])("a channel has %s", async (_, more, whole, environment, proxy) => {
  const channel = await channelWith(environment, more, whole);
  expect([channel?.proxy, channel?.off]).toEqual([proxy, undefined]);
});

test.each([
  [{}, "PROXY is not set"],
  [{ PROXY: "me:canary@p.example" }, "PROXY is not the address of a proxy"],
  [{ PROXY: "http://me:canary@p.example/path" }, "PROXY must have only a host and a port"],
  [{ PROXY: "http://me:canary%@p.example" }, "PROXY has a user name or a password that is not percent-encoded"],
])("with the default proxy of %j a channel is off, and is not used without its proxy", async (environment, why) => {
  const { off, proxy } = (await channelWith(environment, {}, { proxy: "env:PROXY" })) ?? {};
  expect([off, proxy]).toEqual([expect.stringContaining(why), undefined]);
  expect(off).not.toContain("canary");
});

test("a channel's headers get the values that are stored separately; without one of them the channel is off", async () => {
  const headers = { "X-Tenant": "kept:a" };
  const channel = await channelWith({}, { headers }, {}, new Map([["a", "acme"]]));
  expect([channel?.headers, channel?.off]).toEqual([{ "x-tenant": "acme" }, undefined]);
  expect((await channelWith({}, { headers }))?.off).toBe(
    "the header X-Tenant cannot be decrypted: enter its value again",
  );
});

test("a channel's headers get the values of variables; without one of them the channel is off", async () => {
  const headers = { "X-Tenant": "env:TENANT", "x-team": "blue" };
  const channel = await channelWith({ TENANT: "acme" }, { headers });
  expect([channel?.headers, channel?.off]).toEqual([{ "x-tenant": "acme", "x-team": "blue" }, undefined]);
  expect((await channelWith({}, { headers }))?.off).toBe("TENANT is not set");
  expect((await channelWith({ TENANT: "a\ncanary" }, { headers }))?.off).toBe(
    "TENANT contains characters that are not allowed in a header",
  );
});
