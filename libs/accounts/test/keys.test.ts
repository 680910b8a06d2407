import { expect, test } from "vitest";
import { shardOf } from "../src/index.ts";

test("accounts share a shard if their ids are equal up to the first ~; other accounts keep theirs", () => {
  expect(["demo", "acme", "wallet", "acme-search"].map(shardOf)).toEqual(["54", "47", "44", "38"]);
  for (const id of ["acme~search", "acme~ads", "acme~a~b", "acme~"]) expect(shardOf(id), id).toBe(shardOf("acme"));
  expect(new Set(["search", "ads", "lab", "ops"].map((team) => shardOf(`acme-${team}`))).size).toBeGreaterThan(1);
});
