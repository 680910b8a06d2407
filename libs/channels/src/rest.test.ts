import { expect, test } from "vitest";
import { isResting, restAfter } from "./rest.ts";
import type { CoolDown } from "./state.ts";

const reason = "upstream_error";

/** Lets calls fail, at the given times, and gives the rests that began. */
function rests(times: readonly number[], restMs?: number): readonly CoolDown[] {
  const begun: CoolDown[] = [];
  let before = 0;
  for (const now of times) {
    const next = restAfter(begun.at(-1), { reason, before, restMs }, now);
    if (next !== "ignored") before++;
    if (typeof next === "object") begun.push(next);
  }
  return begun;
}

test("the third failure in a row begins a rest", () => {
  expect(rests([0, 1])).toEqual([]);
  expect(rests([0, 1, 2]).map(({ until }) => until)).toEqual([5_002]);
});

test("calls that fail together begin one rest, of the first length", () => {
  expect(rests(Array.from({ length: 64 }, () => 0)).map(({ until }) => until)).toEqual([5_000]);
});

test("a place that fails again after each rest rests twice as long, within a bound", () => {
  const begun = rests(Array.from({ length: 20 }, (_, at) => at * 1_000_000));
  const lengths = begun.map(({ until, since }) => until - Date.parse(since));
  expect(lengths.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
  expect(lengths.at(-1)).toBe(300_000);
});

test("what fails again after its rest rests again at once, however short that was", () => {
  const [asked] = rests([0], 1_000);
  expect(restAfter(asked, { reason, before: 1 }, 1_001)).toMatchObject({ until: 6_001, failures: 2 });
});

test("a vendor's retry-after holds at once, is never made shorter, and may be made longer", () => {
  const [first] = rests([0], 30_000);
  expect(first?.until).toBe(30_000);
  expect(restAfter(first, { reason, before: 1, restMs: 10_000 }, 1_000)).toBe("ignored");
  expect(restAfter(first, { reason, before: 1 }, 1_000)).toBe("ignored");
  expect(restAfter(first, { reason, before: 1, restMs: 60_000 }, 1_000)).toMatchObject({ until: 61_000 });
  expect(rests([0], 600_000)[0]?.until).toBe(600_000);
  expect([isResting(first, 29_999), isResting(first, 30_000), isResting(undefined, 0)]).toEqual([true, false, false]);
});
