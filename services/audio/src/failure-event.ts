import { renderFailure, type Failure } from "@modelgate/contracts";

/** How a stream of events says that it broke; the official SDKs throw for it. */
export function failureEvent(failure: Failure, requestId: string): string {
  return `data: ${JSON.stringify({ type: "error", ...renderFailure("common", failure, requestId) })}\n\n`;
}
