import { renderFailure, type Failure } from "@modelgate/contracts";

/** How a broken chat stream ends: one frame with the error, and no [DONE] after it. */
export function chatFailureFrame(failure: Failure, requestId: string): string {
  return `data: ${JSON.stringify(renderFailure("common", failure, requestId))}\n\n`;
}

/** Keeps a silent stream alive; a comment that every parser passes over. */
export const chatHeartbeat = ": keep-alive\n\n";
