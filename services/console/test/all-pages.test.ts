import { expect, test } from "vitest";
import { allPages } from "../src/parts/all-pages.ts";

test("a list has the rows of all its pages", async () => {
  const rows = ["a", "b", "c", "d"].map((id) => ({ id }));
  expect(await allPages(async (after) => rows.filter(({ id }) => id > after).slice(0, 3))).toEqual(rows);
  expect(await allPages(async () => [])).toEqual([]);
});
