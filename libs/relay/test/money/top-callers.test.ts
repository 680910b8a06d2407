import { expect, test } from "vitest";
import { TopCallers } from "../../src/money/top-callers.ts";

const call = (failed = 0) => ({ calls: 1, failed, tokens: 10, costUsd: 0.5 });

test("the callers with the most calls are shown, and all others as one", () => {
  const top = new TopCallers(2);
  for (const [caller, calls] of [
    ["a", 3],
    ["b", 5],
    ["c", 1],
    ["d", 2],
  ] as const)
    for (let n = 0; n < calls; n++) top.add(caller, call(caller === "c" ? 1 : 0));
  expect(top.top()).toEqual([
    ["b", { calls: 5, failed: 0, tokens: 50, costUsd: 2.5 }],
    ["a", { calls: 3, failed: 0, tokens: 30, costUsd: 1.5 }],
    ["_other", { calls: 3, failed: 1, tokens: 30, costUsd: 1.5 }],
  ]);
});

test("for any number of callers few are stored, including the large ones, and no call is lost", () => {
  const top = new TopCallers(3);
  let all = 0;
  for (let round = 0; round < 300; round++) {
    for (const large of ["large-1", "large-2", "large-3"]) {
      top.add(large, call());
      all++;
    }
    for (let n = 0; n < 5; n++) {
      top.add(`small-${round}-${n}`, call());
      all++;
    }
  }
  const shown = top.top();
  expect(shown).toHaveLength(4);
  expect(
    shown
      .slice(0, 3)
      .map(([caller]) => caller)
      .toSorted(),
  ).toEqual(["large-1", "large-2", "large-3"]);
  expect(shown.reduce((sum, [, { calls }]) => sum + calls, 0)).toBe(all);
});
