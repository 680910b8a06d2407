import { expect, test } from "vitest";
import { publicTokenOf } from "../src/accounts/write-to-redis.ts";

test("a token is due for rotation after its period since the last rotation, or else since its creation", () => {
  const record = {
    id: "tok_1",
    accountId: "acme",
    group: "default",
    name: "ci",
    disabled: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    hint: "sk-a…z",
    rotateAfterDays: 30,
  };
  const token = { account: "acme", id: "tok_1", digest: "d", version: 1, replaced: [], record };
  const replacedAt = "2026-03-01T12:00:00.000Z";
  const replaced = [{ digest: "e", hint: "sk-b…z", replacedAt, expiresAt: replacedAt }];
  expect(publicTokenOf(token).rotationDueAt).toBe("2026-01-31T00:00:00.000Z");
  expect(publicTokenOf({ ...token, replaced }).rotationDueAt).toBe("2026-03-31T12:00:00.000Z");
  const { rotateAfterDays: _, ...plain } = record;
  expect(publicTokenOf({ ...token, record: plain })).not.toHaveProperty("rotationDueAt");
});
