/**
 * Returns an ordinary usage event without its cost. The type `UsageDraft` is not named, because this package imports no
 * library.
 */
export function testUsageDraft(accountId: string, id: string) {
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
    outcome: "completed" as const,
    units: {},
    estimated: false,
    multiplier: 1,
    latencyMs: 0,
    firstByteMs: 0,
    attempts: 1,
  };
}
