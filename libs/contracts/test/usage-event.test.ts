import { expect, test } from "vitest";
import { readUsageEvent } from "../src/index.ts";

const event = {
  id: "call_1",
  time: "2026-11-01T10:00:00.000Z",
  requestId: "r-1",
  accountId: "acme",
  tokenId: "tok_1",
  group: "default",
  area: "text",
  endpoint: "POST /v1/chat/completions",
  model: "chat",
  upstreamModel: "chat-1",
  channelId: "main",
  status: 502,
  outcome: "failed",
  units: {},
  estimated: false,
  multiplier: 1,
  costNanos: "0",
  latencyMs: 12,
  firstByteMs: 12,
  attempts: 1,
};
const attempt = { channel: "main", key: "k1", ms: 12, status: 500, failed: "upstream_error" };

test("an event of an earlier version is read with the current name of its vendors' messages", () => {
  const stored = JSON.stringify({ ...event, tries: [{ ...attempt, said: "Overheated" }, attempt] });
  const tries = [{ ...attempt, vendorMessage: "Overheated" }, attempt];
  expect(readUsageEvent(stored)).toEqual({ ...event, tries });
  expect(readUsageEvent(JSON.stringify({ ...event, tries }))).toEqual({ ...event, tries });
});

test("an event without attempts is read unchanged", () => {
  expect(readUsageEvent(JSON.stringify(event))).toEqual(event);
});
