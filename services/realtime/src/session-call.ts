import type { UpgradeCall } from "@modelgate/platform";

/** What a session remembers of the call that opened it: its request is not kept while it lasts. */
export type RealtimeCall = Pick<UpgradeCall, "caller" | "id" | "endpoint" | "requestId" | "span">;

/** That of a call. */
export function sessionCall({ caller, id, endpoint, requestId, span }: UpgradeCall): RealtimeCall {
  return { caller, id, endpoint, requestId, span };
}
