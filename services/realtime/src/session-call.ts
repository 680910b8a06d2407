import type { UpgradeCall } from "@modelgate/platform";

/** Fields of the call that opened a session. The request itself is left out to save memory. */
export type RealtimeCall = Pick<UpgradeCall, "caller" | "id" | "endpoint" | "requestId" | "span">;

export function toSessionCall({ caller, id, endpoint, requestId, span }: UpgradeCall): RealtimeCall {
  return { caller, id, endpoint, requestId, span };
}
