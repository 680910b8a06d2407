import { expect, test } from "vitest";
import { FoundOut } from "../src/found-out.ts";

test("the oldest is forgotten beyond the bound, and nothing for what is known already", () => {
  const found = new FoundOut<number>();
  for (let at = 0; at < 10_000; at++) found.set(`name-${at}`, at);
  found.set("name-5", -5);
  expect([found.get("name-0"), found.get("name-5")]).toEqual([0, -5]);
  found.set("one more", 1);
  expect([found.get("name-0"), found.get("name-1"), found.get("one more")]).toEqual([undefined, 1, 1]);
});
