import { expect, test } from "vitest";
import type { Candidate } from "@modelgate/catalog";
import type { Cooldowns } from "../src/health.ts";
import { pickRoute, earliestAvailableAt, type PickOptions } from "../src/route-chooser.ts";
import { channelKeyIdOf, modelScopeOf } from "../src/channel-scope.ts";

const candidate = (id: string, more: Partial<Candidate["channel"]> = {}): Candidate => ({
  upstreamModel: "m",
  channel: {
    id,
    provider: "openai",
    baseUrl: "https://v.example",
    keys: [{ id: "k", secret: "s" }],
    models: new Map(),
    priority: 0,
    weight: 1,
    timeoutMs: 1_000,
    ...more,
  },
});
/** Returns cooldowns by scope, in the form of `Health`. */
const cooldownsBy = (until: (scope: string) => number): Cooldowns => ({
  ofChannel: (at) => Math.max(until(at.channel.id), until(modelScopeOf(at))),
  ofKey: (at, key) => until(channelKeyIdOf({ candidate: at, key })),
});
const options = (more: Partial<PickOptions> = {}): PickOptions => ({
  cooldowns: cooldownsBy(() => 0),
  isExcluded: () => false,
  random: () => 0,
  score: () => 0,
  nextTurn: () => 0,
  ...more,
});
const pickedKey = (candidates: readonly Candidate[], more?: Partial<PickOptions>): string | undefined => {
  const route = pickRoute(candidates, options(more));
  return route === undefined ? undefined : channelKeyIdOf(route);
};

test("the highest priority that has a route", () => {
  const all = [candidate("high", { priority: 5 }), candidate("low")];
  expect(pickedKey(all)).toBe("high/k");
  expect(pickedKey(all, { cooldowns: cooldownsBy((scope) => (scope === "high" ? 1 : 0)) })).toBe("low/k");
  expect(pickedKey(all, { isExcluded: ({ channel }) => channel.id === "high" })).toBe("low/k");
  expect(pickedKey(all, { cooldowns: cooldownsBy(() => 1) })).toBeUndefined();
  expect(pickedKey([])).toBeUndefined();
});

test.each([
  [0, "one/k"],
  [0.24, "one/k"],
  [0.26, "three/k"],
  [0.99, "three/k"],
])("by weight within a priority: at %d it is %s", (at, scope) => {
  expect(pickedKey([candidate("one", { weight: 1 }), candidate("three", { weight: 3 })], { random: () => at })).toBe(
    scope,
  );
});

test("weights that are all zero are equal, and a zero among others is never chosen", () => {
  const zeros = [candidate("a", { weight: 0 }), candidate("b", { weight: 0 })];
  expect([0, 0.49, 0.5, 0.99].map((at) => pickedKey(zeros, { random: () => at }))).toEqual([
    "a/k",
    "a/k",
    "b/k",
    "b/k",
  ]);
  expect(
    [0, 0.5, 0.999].map((at) => pickedKey([candidate("a"), candidate("b", { weight: 0 })], { random: () => at })),
  ).toEqual(["a/k", "a/k", "a/k"]);
});

test("keys are used in turn, and one in a cooldown is skipped", () => {
  const pool = [candidate("pool", { keys: ["a", "b", "c"].map((id) => ({ id, secret: id })) })];
  expect([0, 1, 2, 3].map((turn) => pickedKey(pool, { nextTurn: () => turn }))).toEqual([
    "pool/a",
    "pool/b",
    "pool/c",
    "pool/a",
  ]);
  expect(
    [0, 1, 2].map((turn) =>
      pickedKey(pool, { nextTurn: () => turn, cooldowns: cooldownsBy((scope) => (scope === "pool/b" ? 1 : 0)) }),
    ),
  ).toEqual(["pool/a", "pool/c", "pool/a"]);
});

test("the time at which the first of them is available again", () => {
  const ends: Record<string, number> = { a: 50, "a/k": 80, b: 70, c: Infinity };
  const endOf = (scope: string): number => ends[scope] ?? 0;
  expect(earliestAvailableAt([candidate("a"), candidate("b"), candidate("c")], cooldownsBy(endOf))).toBe(70);
  expect(earliestAvailableAt([candidate("c")], cooldownsBy(endOf))).toBeUndefined();
});
