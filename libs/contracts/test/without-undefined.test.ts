import { expect, test } from "vitest";
import { withoutUndefined } from "../src/without-undefined.ts";

test("undefined members are left out, others stay in their order", () => {
  const copy = withoutUndefined({ a: 1, b: undefined, c: null, d: false });
  expect(Object.entries(copy)).toEqual([
    ["a", 1],
    ["c", null],
    ["d", false],
  ]);
});

test("a member named __proto__ stays a member", () => {
  const parsed: object = JSON.parse('{"__proto__":{"admin":true},"a":1}');
  const copy = withoutUndefined(parsed);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true},"a":1}');
  expect("admin" in copy).toBe(false);
});
