import fc from "fast-check";
import { expect, test } from "vitest";
import type { Candidate } from "@modelgate/catalog";
import { chooseCandidate } from "../src/route-chooser.ts";
import { Speeds } from "../src/speeds.ts";

const candidate = (id: string, cost?: number, weight = 1): Candidate => ({
  upstreamModel: "m",
  cost,
  channel: {
    id,
    provider: "openai",
    baseUrl: "https://v.example",
    keys: [],
    models: new Map(),
    priority: 0,
    weight,
    timeoutMs: 1_000,
  },
});
const weighed = (...candidates: readonly Candidate[]) => candidates.map((each) => ({ candidate: each }));
const score = () => 0;

test.each([
  ["the one with the lowest cost", weighed(candidate("a", 3), candidate("b", 1), candidate("c", 2)), "b"],
  ["a free one before any other", weighed(candidate("a", 0.1), candidate("b", 0)), "b"],
  ["one with a known cost before one without", weighed(candidate("a"), candidate("b", 9)), "b"],
])("the cheapest is %s", (_name, from, id) => {
  for (const random of [0, 0.5, 0.99])
    expect(chooseCandidate(from, { choice: "cheapest", score, random: () => random })?.candidate.channel.id).toBe(id);
});

test("equally cheap channels share by weight", () => {
  const from = weighed(candidate("a", 1, 1), candidate("b", 1, 3), candidate("c", 2, 100));
  const chosenAt = (random: number) =>
    chooseCandidate(from, { choice: "cheapest", score, random: () => random })?.candidate.channel.id;
  expect([chosenAt(0.2), chosenAt(0.3), chosenAt(0.9)]).toEqual(["a", "b", "b"]);
});

test("of two random candidates the slower one is never chosen; of all, the slowest never", () => {
  const randomNumber = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const scores = fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(scores, randomNumber, randomNumber, (ms, first, second) => {
      const from = weighed(...ms.map((_, at) => candidate(String(at))));
      const randomNumbers = [first, second];
      const scoreOf = (each: Candidate): number => ms[Number(each.channel.id)] ?? 0;
      const chosen = chooseCandidate(from, {
        choice: "fastest",
        score: scoreOf,
        random: () => randomNumbers.shift() ?? 0,
      });
      expect(chosen && scoreOf(chosen.candidate)).toBeLessThan(Math.max(...ms));
    }),
  );
});

test("a channel's expected time depends on its recent times and its open calls", () => {
  let now = 1_000;
  const speeds = new Speeds(60_000, () => now);
  const [fast, slow] = [candidate("fast"), candidate("slow")];
  expect(speeds.score(fast)).toBe(0);
  const [first, other] = [speeds.startCall(fast), speeds.startCall(slow)];
  speeds.recordAnswer(first, 100);
  speeds.recordAnswer(other, 900);
  for (const call of [first, other]) call.inFlight--;
  expect(speeds.score(fast)).toBeLessThan(speeds.score(slow));
  const calls = Array.from({ length: 10 }, () => speeds.startCall(fast));
  expect(speeds.score(fast)).toBeGreaterThan(speeds.score(slow));
  for (const call of calls) call.inFlight--;
  expect(speeds.score(fast)).toBeLessThan(speeds.score(slow));
  now += 600_000;
  expect(speeds.score(slow)).toBeLessThan(2);
  speeds.recordAnswer(other, 50);
  expect(speeds.score(slow)).toBeCloseTo(51, 0);
});
