import { expect, test } from "vitest";
import type { UsageEvent } from "@modelgate/contracts";
import { csvHeader, csvRow } from "../../src/api/calls-csv.ts";

const event: UsageEvent = {
  id: "call_1",
  time: "2026-01-31T10:00:00.000Z",
  requestId: '=1+1,"x"',
  accountId: "acme",
  tokenId: "tok_1",
  group: "default",
  area: "text",
  endpoint: "POST /v1/chat/completions",
  model: "m",
  upstreamModel: "m",
  channelId: "main",
  status: 200,
  outcome: "completed",
  units: { inputTokens: 3, outputTokens: 4 },
  estimated: false,
  multiplier: 1.5,
  costNanos: "1500000001",
  latencyMs: 10,
  firstByteMs: 5,
  attempts: 1,
  unpriced: ["inputTokens"],
};

test("an event is a row with a cell for every column, quoted, and never a formula", () => {
  const row = csvRow(event);
  expect(row).toContain(`"'=1+1,""x"""`);
  expect(row).toContain("1500000001,1.500000001");
  expect(row.endsWith("\r\n")).toBe(true);
  // The quoted request id contains one comma.
  expect(row.split(",")).toHaveLength(csvHeader.split(",").length + 1);
});
