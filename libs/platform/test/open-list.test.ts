import fc from "fast-check";
import { expect, test } from "vitest";
import { OpenList, type ListEntry } from "../src/open-list.ts";

test("a list has the members that were added and not removed, oldest first, as a set", () => {
  const step = fc.oneof(fc.constant("add" as const), fc.nat(20));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = new OpenList<number>();
      const set = new Set<number>();
      const all: ListEntry[] = [];
      for (const each of steps) {
        if (each === "add") {
          set.add(all.length);
          all.push(list.add(all.length));
        } else if (all[each] !== undefined) {
          expect(all[each].remove()).toBe(set.delete(each));
        }
        expect([...list]).toEqual([...set]);
        expect(list.size).toBe(set.size);
      }
    }),
  );
});

test("members may be removed during iteration", () => {
  const list = new OpenList<number>();
  const all = [1, 2, 3].map((value) => list.add(value));
  const visited: number[] = [];
  for (const value of list) {
    visited.push(value);
    for (const each of all) each.remove();
  }
  expect(visited).toEqual([1, 2, 3]);
  expect(list.size).toBe(0);
});
