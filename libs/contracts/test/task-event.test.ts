import { expect, test } from "vitest";
import { readTaskEvent } from "../src/index.ts";

const event = {
  id: "task_1.queued",
  time: "2026-11-01T10:00:00.000Z",
  taskId: "task_1",
  accountId: "acme",
  tokenId: "tok_1",
  model: "film",
  channelId: "main",
  state: "queued",
  previousState: null,
  progress: 0,
};
const record = { encrypted: "secret text", untilMs: 2_000 };

test.each([
  ["of an earlier version", { ...event, kept: { sealed: record.encrypted, untilMs: record.untilMs } }],
  ["of this version", { ...event, record }],
])("a task event %s is read with its record", (_, stored) => {
  expect(readTaskEvent(JSON.stringify(stored))).toEqual({ ...event, record });
});

test("a task event without a record is read unchanged", () => {
  expect(readTaskEvent(JSON.stringify(event))).toEqual(event);
});
