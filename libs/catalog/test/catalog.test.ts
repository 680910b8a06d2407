import { describe, expect, test } from "vitest";
import { makeCipher } from "@modelgate/platform";
import { compilePrice, type ConfiguredPrice } from "@modelgate/contracts";
import { compileCatalog } from "../src/catalog.ts";
import type { PublishedConfiguration } from "../src/published.ts";
import { priceVersionOf } from "../src/published-prices.ts";

const cipher = makeCipher(["a secret of some length"], "keys");
const key = (channel: string, id = "k") => ({ id, sealed: cipher.encrypt(`secret of ${channel}`, `${channel}/${id}`) });
const base = { provider: "openai", baseUrl: "https://v.example" };
const published: PublishedConfiguration = {
  version: "1",
  publishedAt: "2026-01-01T00:00:00Z",
  groups: { all: { models: ["*"], multiplier: 2, vendorStores: "shared" }, some: { models: ["chat"] } },
  models: {
    chat: { kind: "chat", price: { input: 1 } },
    vip: { kind: "chat" },
    unserved: { kind: "chat" },
    vectors: { kind: "embedding" },
    off: { kind: "chat" },
  },
  channels: [
    { ...base, id: "low", keys: [key("low")], models: ["chat", "vectors"], priority: -1 },
    { ...base, id: "high", keys: [key("high")], models: { chat: "vendor-chat" }, priority: 1 },
    { ...base, id: "vip", keys: [key("vip")], models: ["vip"], groups: ["some"] },
    { ...base, id: "off", keys: [], models: ["off"], off: "KEY is not set" },
  ],
};
const catalog = compileCatalog(published, cipher.decrypt);
const names = (scope: { group: string; models?: readonly string[] }) => catalog.modelsOf(scope).map(({ name }) => name);

test("models that a token can call: in its group, in its own list, and served to the group", () => {
  expect(names({ group: "all" })).toEqual(["chat", "vectors"]);
  expect(names({ group: "some" })).toEqual(["chat"]);
  expect(names({ group: "all", models: ["vectors", "unserved"] })).toEqual(["vectors"]);
  expect(names({ group: "gone" })).toEqual([]);
});

test("the channels of a model, higher priority first, with decrypted keys and the vendor's name", () => {
  expect(
    catalog
      .candidates("chat", "all")
      .map(({ channel, upstreamModel }) => [channel.id, upstreamModel, channel.keys[0]?.secret]),
  ).toEqual([
    ["high", "vendor-chat", "secret of high"],
    ["low", "chat", "secret of low"],
  ]);
  expect(catalog.candidates("off", "all")).toEqual([]);
});

describe("a model that is unavailable", () => {
  test.each([
    [{ group: "all" }, "nothing", "model_not_found", 404],
    [{ group: "all" }, "unserved", "model_not_found", 404],
    [{ group: "all" }, "vip", "model_not_found", 404],
    [{ group: "all" }, "off", "model_not_found", 404],
    [{ group: "all" }, "vectors", "model_not_found", 404],
    [{ group: "all", models: ["vectors"] }, "chat", "model_not_allowed", 403],
    [{ group: "gone" }, "chat", "group_not_allowed", 403],
    [{ group: "all" }, "__proto__", "model_not_found", 404],
  ])("%j %s is %s", (scope, name, code, status) => {
    expect(() => catalog.resolve(scope, name, ["chat"])).toThrow(expect.objectContaining({ code, status }));
  });

  test("an available model is found with its price", () => {
    expect(catalog.resolve({ group: "some" }, "chat", ["chat"]).price.get("inputTokens")).toBe(1_000_000_000_000n);
    expect(catalog.group("all")).toMatchObject({ multiplier: 2, vendorStores: "shared" });
    expect(catalog.group("some")?.vendorStores).toBe("refuse");
  });
});

test("an encrypted key can be decrypted only with its secret and for its channel", () => {
  const sealed = cipher.encrypt("text", "main/1");
  expect(cipher.decrypt(sealed, "main/1")).toBe("text");
  expect(sealed).not.toContain("text");
  expect(() => cipher.decrypt(sealed, "main/2")).toThrow();
  expect(() => makeCipher(["another secret"], "keys").decrypt(sealed, "main/1")).toThrow();
  expect(() => compileCatalog(published, makeCipher(["another secret"], "keys").decrypt)).toThrow();
});

test("the kind of every model is known, served or not", () => {
  expect(["vectors", "unserved", "nothing"].map((name) => catalog.kindOf(name))).toEqual([
    "embedding",
    "chat",
    undefined,
  ]);
});

test("settings that a channel omits have their defaults, and an unknown model has none", () => {
  const [low] = catalog.candidates("vectors", "all");
  expect(low?.channel.weight).toBe(1);
  expect(catalog.candidates("vip", "some")[0]?.channel).toMatchObject({ priority: 0, weight: 1 });
  expect(catalog.candidates("nothing", "all")).toEqual([]);
});

test("a long name is shortened in its error message", () => {
  const [fits, long] = ["m".repeat(200), "m".repeat(201)];
  expect(() => catalog.resolve({ group: "all" }, fits, ["chat"])).toThrow(`"${fits}" does not exist`);
  expect(() => catalog.resolve({ group: "all" }, long, ["chat"])).toThrow(`"${fits}…" does not exist`);
});

test("a price's version depends on its contents only", () => {
  const named = (price: ConfiguredPrice) => priceVersionOf(compilePrice(price));
  expect(named({ input: 1, output: 2 })).toBe(named({ output: 2, input: 1 }));
  expect(named({ input: 1, output: 2 })).not.toBe(named({ input: 2, output: 1 }));
  const rich = { input: 1, tiers: [{ above: 9, input: 2 }], serviceTiers: { flex: 0.5 }, tools: { webSearch: 1 } };
  const others = [
    { ...rich, tiers: [{ above: 8, input: 2 }] },
    { ...rich, tiers: [{ above: 9, input: 3 }] },
    { ...rich, serviceTiers: { flex: 0.4 } },
    { ...rich, serviceTiers: { priority: 0.5 } },
    { ...rich, tools: { webSearch: 2 } },
  ];
  expect(new Set([rich, ...others].map(named)).size).toBe(1 + others.length);
  expect([...compilePrice(rich).serviceTiers.values()].map(priceVersionOf)).toEqual([named(rich)]);
  const price = compilePrice({ input: 1 });
  expect([priceVersionOf(price), priceVersionOf(price)]).toEqual([named({ input: 1 }), named({ input: 1 })]);
});
