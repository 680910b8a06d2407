import { expect, test } from "vitest";
import { compileCatalog } from "../src/catalog.ts";
import type { PublishedConfiguration } from "../src/published.ts";

const base = { provider: "openai", baseUrl: "https://v.example", keys: [] };
const published: PublishedConfiguration = {
  version: "1",
  publishedAt: "2026-01-01T00:00:00Z",
  groups: {
    all: { models: ["*"] },
    alias: { models: ["split"] },
    open: { models: ["*"], unpriced: "pass" },
  },
  models: {
    old: { kind: "chat" },
    next: { kind: "chat" },
    unserved: { kind: "chat" },
    split: { kind: "chat", shares: { old: 0.9, next: 0.1, unserved: 5 } },
    listed: { kind: "chat", isUnpriced: true },
  },
  channels: [
    { ...base, id: "one", models: ["old", "listed"], costs: { old: 3 } },
    { ...base, id: "two", models: ["next"] },
  ],
};
/** Returns a catalog that draws shares with this random number. */
const catalogWith = (randomNumber: number) =>
  compileCatalog(
    published,
    () => "",
    () => randomNumber,
  );

test.each([
  [0, "old"],
  [0.89, "old"],
  [0.91, "next"],
  [0.999, "next"],
])("the random number %d of a split model selects %s: a model without a channel has no share", (randomNumber, name) => {
  expect(catalogWith(randomNumber).resolve({ group: "all" }, "split", ["chat"]).name).toBe(name);
});

test("a group that has only the split model is served by its shares", () => {
  const scope = { group: "alias" };
  expect(catalogWith(0).resolve(scope, "split", ["chat"]).name).toBe("old");
  expect(() => catalogWith(0).resolve(scope, "old", ["chat"])).toThrow("does not exist");
  expect(
    catalogWith(0)
      .modelsOf(scope)
      .map(({ name }) => name),
  ).toEqual(["split"]);
});

test("a split model supports every wire that one of its shares supports", () => {
  const candidates = catalogWith(0).candidates("split", "all");
  expect(candidates.map(({ channel, upstreamModel, cost }) => [channel.id, upstreamModel, cost])).toEqual([
    ["one", "old", 3],
    ["two", "next", undefined],
  ]);
});

test("a listed model without a known price is only for groups that allow unpriced models", () => {
  const named = (group: string) =>
    catalogWith(0)
      .modelsOf({ group })
      .map(({ name }) => name);
  expect(named("open")).toContain("listed");
  expect(named("all")).not.toContain("listed");
});
