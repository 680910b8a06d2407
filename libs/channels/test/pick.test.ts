import { expect, test } from "vitest";
import type { Candidate } from "@modelgate/catalog";
import type { Cooldowns } from "../src/health.ts";
import { pick, earliestAvailableAt, type PickOptions } from "../src/route-chooser.ts";
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
/** Rests by scope, as Health reports them. */
const restsBy = (until: (scope: string) => number): Cooldowns => ({
  ofChannel: (at) => Math.max(until(at.channel.id), until(modelScopeOf(at))),
  ofKey: (at, key) => until(channelKeyIdOf({ candidate: at, key })),
});
const options = (more: Partial<PickOptions> = {}): PickOptions => ({
  cooldowns: restsBy(() => 0),
  excluded: () => false,
  random: () => 0,
  score: () => 0,
  turn: () => 0,
  ...more,
});
const placed = (candidates: readonly Candidate[], more?: Partial<PickOptions>): string | undefined => {
  const route = pick(candidates, options(more));
  return route === undefined ? undefined : channelKeyIdOf(route);
};

test("the highest priority that has a route", () => {
  const all = [candidate("high", { priority: 5 }), candidate("low")];
  expect(placed(all)).toBe("high/k");
  expect(placed(all, { cooldowns: restsBy((scope) => (scope === "high" ? 1 : 0)) })).toBe("low/k");
  expect(placed(all, { excluded: ({ channel }) => channel.id === "high" })).toBe("low/k");
  expect(placed(all, { cooldowns: restsBy(() => 1) })).toBeUndefined();
  expect(placed([])).toBeUndefined();
});

test.each([
  [0, "one/k"],
  [0.24, "one/k"],
  [0.26, "three/k"],
  [0.99, "three/k"],
])("by weight within a priority: at %d it is %s", (at, scope) => {
  expect(placed([candidate("one", { weight: 1 }), candidate("three", { weight: 3 })], { random: () => at })).toBe(
    scope,
  );
});

test("weights that are all zero are equal, and a zero among others is never chosen", () => {
  const zeros = [candidate("a", { weight: 0 }), candidate("b", { weight: 0 })];
  expect([0, 0.49, 0.5, 0.99].map((at) => placed(zeros, { random: () => at }))).toEqual(["a/k", "a/k", "b/k", "b/k"]);
  expect(
    [0, 0.5, 0.999].map((at) => placed([candidate("a"), candidate("b", { weight: 0 })], { random: () => at })),
  ).toEqual(["a/k", "a/k", "a/k"]);
});

test("keys are used in turn, and a resting one is skipped", () => {
  const pool = [candidate("pool", { keys: ["a", "b", "c"].map((id) => ({ id, secret: id })) })];
  expect([0, 1, 2, 3].map((turn) => placed(pool, { turn: () => turn }))).toEqual([
    "pool/a",
    "pool/b",
    "pool/c",
    "pool/a",
  ]);
  expect(
    [0, 1, 2].map((turn) =>
      placed(pool, { turn: () => turn, cooldowns: restsBy((scope) => (scope === "pool/b" ? 1 : 0)) }),
    ),
  ).toEqual(["pool/a", "pool/c", "pool/a"]);
});

test("the time at which the first of them is available again", () => {
  const rests: Record<string, number> = { a: 50, "a/k": 80, b: 70, c: Infinity };
  const at = (scope: string): number => rests[scope] ?? 0;
  expect(earliestAvailableAt([candidate("a"), candidate("b"), candidate("c")], restsBy(at))).toBe(70);
  expect(earliestAvailableAt([candidate("c")], restsBy(at))).toBeUndefined();
});
