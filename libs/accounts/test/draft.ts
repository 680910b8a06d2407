import type { UsageDraft } from "@modelgate/contracts";

/** An event like any other, for tests that look at money and not at it. */
export function draftOf(accountId: string, id: string): UsageDraft {
  return {
    id,
    accountId,
    time: "2026-01-01T00:00:00Z",
    requestId: "r",
    tokenId: "tok_1",
    group: "g",
    area: "text",
    endpoint: "POST /x",
    model: "m",
    upstreamModel: "m",
    channelId: "c",
    status: 200,
    outcome: "completed",
    units: {},
    estimated: false,
    multiplier: 1,
    latencyMs: 0,
    firstByteMs: 0,
    attempts: 1,
  };
}
