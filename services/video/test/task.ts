import type { TaskRecord } from "@modelgate/accounts";

/**
 * Returns a task of the model `film` that channel `main` has just accepted in the `videos` wire; it costs half a
 * dollar.
 */
export function taskOf(accountId: string, id: string, createdAt: number): TaskRecord {
  const callId = `call_${id}`;
  return {
    id,
    accountId,
    tokenId: "tok_1",
    model: "film",
    channelId: "main",
    keyId: "",
    wire: "videos",
    operation: `op-${id}`,
    requested: {},
    callId,
    costNanos: "500000000",
    draft: {
      id: callId,
      time: new Date(createdAt).toISOString(),
      requestId: "r",
      accountId,
      tokenId: "tok_1",
      group: "default",
      area: "video",
      endpoint: "POST /v1/videos",
      model: "film",
      upstreamModel: "film",
      channelId: "main",
      status: 200,
      outcome: "completed",
      units: { seconds: 5 },
      estimated: false,
      multiplier: 1,
      latencyMs: 0,
      firstByteMs: 0,
      attempts: 1,
    },
    state: "queued",
    progress: 0,
    createdAt,
    deadlineAt: createdAt + 86_400_000,
    polls: 0,
    misses: 0,
  };
}
