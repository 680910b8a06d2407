import { expect, test } from "vitest";
import { BoundedMap, once } from "../src/memo.ts";

test("a value is computed once, even if it is undefined", () => {
  let count = 0;
  const value = once(() => void count++);
  expect(count).toBe(0);
  value();
  value();
  expect(count).toBe(1);
});

test("a failed computation is tried again", () => {
  let tries = 0;
  const value = once(() => {
    if (++tries === 1) throw new Error("not yet");
    return "made";
  });
  expect(value).toThrow("not yet");
  expect(value()).toBe("made");
  expect(value()).toBe("made");
  expect(tries).toBe(2);
});

test("the oldest value is dropped above the maximum, and none for a known key", () => {
  const map = new BoundedMap<number>();
  for (let at = 0; at < 10_000; at++) map.set(`name-${at}`, at);
  map.set("name-5", -5);
  expect([map.get("name-0"), map.get("name-5")]).toEqual([0, -5]);
  map.set("one more", 1);
  expect([map.get("name-0"), map.get("name-1"), map.get("one more")]).toEqual([undefined, 1, 1]);
});
