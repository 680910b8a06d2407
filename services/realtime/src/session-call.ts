import type { UpgradeCall } from "@modelgate/platform";

/** Facts of the call that opened a session: its request is not kept while it lasts. */
export type RealtimeCall = Pick<UpgradeCall, "caller" | "id" | "endpoint" | "requestId" | "span">;

/** That of a call. */
export function sessionCall({ caller, id, endpoint, requestId, span }: UpgradeCall): RealtimeCall {
  return { caller, id, endpoint, requestId, span };
}
