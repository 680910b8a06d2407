import { renderFailure, type Failure } from "@modelgate/contracts";

/** The content type of a stream of events. */
export const eventStream = "text/event-stream; charset=utf-8";

/** What shows that a stream is alive; every reader of events skips it. */
export const signOfLife = ": keep-alive\n\n";

/** How a stream of events says that it broke; the official SDKs throw for it. */
export function failureEvent(failure: Failure, requestId: string): string {
  return `data: ${JSON.stringify({ type: "error", ...renderFailure("common", failure, requestId) })}\n\n`;
}
