import { expect, test } from "vitest";
import { idOnShardOf, isAccountId } from "../src/index.ts";

test.each(["acme", "acme~ads", "A.b_c-1~2", "x".repeat(64)])("%s can be the id of an account", (id) => {
  expect(isAccountId(id)).toBe(true);
});

test.each(["", "~ads", "acme~", "a~b~c", "a b", "_a", "x".repeat(65)])("%j cannot be the id of an account", (id) => {
  expect(isAccountId(id)).toBe(false);
});

test.each([
  ["acme", "foo", "acme~foo"],
  ["acme", "foo~ads", "acme~foo-ads"],
  ["acme~lab", "foo", "acme~foo"],
  ["acme", "x".repeat(64), `acme~${"x".repeat(59)}`],
])("the id on the shard of %s for %s is usable", (first, other, id) => {
  expect(idOnShardOf(first, other)).toBe(id);
  expect(isAccountId(id)).toBe(true);
});
