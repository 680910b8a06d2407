import { expect, test } from "vitest";
import { RecentClauses } from "../../src/audio/recent-clauses.ts";

test("what was not used for longest is forgotten first, and never more is kept than fits", () => {
  const recent = new RecentClauses(10);
  const spoken: string[] = [];
  const ask = (key: string, samples = 4) =>
    recent.of(key, () => {
      spoken.push(key);
      return new Int16Array(samples);
    });
  const first = ask("a");
  ask("b");
  expect(ask("a")).toBe(first);
  ask("c");
  ask("a");
  ask("b");
  expect(spoken).toEqual(["a", "b", "c", "b"]);
  ask("long", 11);
  ask("long", 11);
  expect(spoken.slice(4)).toEqual(["long", "long"]);
});
