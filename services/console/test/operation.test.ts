import { expect, test } from "vitest";
import { operationFor } from "../src/parts/operation.ts";

test("a credit that is sent again unchanged is the same operation, and another credit is not", () => {
  const draft = { amount: "1000", reason: "invoice 7" };
  const first = operationFor(draft, undefined);
  expect(first.id).toMatch(/^[0-9a-f]{32}$/);
  expect(operationFor({ ...draft }, first).id).toBe(first.id);
  expect(operationFor({ ...draft, amount: "100" }, first).id).not.toBe(first.id);
  expect(operationFor(draft, undefined).id).not.toBe(first.id);
});
