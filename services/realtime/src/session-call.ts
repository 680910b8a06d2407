import type { UpgradeCall } from "@modelgate/platform";

/** Fields of the call that opened a session; the request itself is not kept. */
export type RealtimeCall = Pick<UpgradeCall, "caller" | "id" | "endpoint" | "requestId" | "span">;

/** Returns these fields of a call. */
export function sessionCall({ caller, id, endpoint, requestId, span }: UpgradeCall): RealtimeCall {
  return { caller, id, endpoint, requestId, span };
}
