import { expect, test } from "vitest";
import { localTime } from "../src/format/times.ts";
import { oldDataText } from "../src/parts/old-data.ts";

test("data whose last read failed has a text with its time and the reason, and other data has none", () => {
  const dataUpdatedAt = Date.UTC(2026, 10, 22, 9);
  expect(oldDataText({ error: null, dataUpdatedAt })).toBeUndefined();
  expect(oldDataText({ error: new Error("The server does not answer."), dataUpdatedAt })).toBe(
    `Not updated since ${localTime("2026-11-22T09:00:00Z")}: The server does not answer.`,
  );
});
