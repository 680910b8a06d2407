import { expect, test } from "vitest";
import { endUserIn } from "../src/json/index.ts";

test.each([
  ["openai", { user: "ann" }, "ann"],
  ["openai", { user: "ann", safety_identifier: "hash" }, "hash"],
  ["openai", { user: "ann", safety_identifier: null }, "ann"],
  ["openai", { metadata: { user_id: "ann" } }, undefined],
  ["messages", { metadata: { user_id: "ann" } }, "ann"],
  ["messages", { user: "ann", metadata: "ann" }, undefined],
  ["openai", { user: { id: "ann" } }, undefined],
  ["openai", "ann", undefined],
] as const)("%s names in %j the end user %s", (spelling, body, endUser) => {
  expect(endUserIn(spelling, body)).toBe(endUser);
});
