import type { Failure } from "@modelgate/contracts";
import type { AnswerSink } from "@modelgate/platform";

/** Stream that a client waits for while no vendor has begun to answer: its heartbeats and its error frame. */
export interface PendingStream {
  readonly contentType: string;
  readonly heartbeat: string;
  /**
   * Returns whether heartbeats may be sent now; absent: always. False until the complete body has arrived and is valid,
   * because the body decides whether the client receives a stream.
   */
  canSendHeartbeat?(): boolean;
  /** Renders the error frame of the wire, which ends the stream. */
  fail(failure: Failure, requestId: string): string;
}

/** Headers of a stream: caches and proxies pass its pieces on at once. */
export const streamHeaders = { "cache-control": "no-cache", "x-accel-buffering": "no" } as const;

/**
 * Sends heartbeats to a client while no vendor has begun to answer, because proxies may close a silent connection. The
 * response's head is sent with the first heartbeat, so a later failure is reported in the stream. Further vendors can
 * still be tried. Dispose it when an answer begins.
 */
export function sendHeartbeats(
  answer: Pick<AnswerSink, "begin" | "headSent" | "closed" | "full" | "write">,
  waiting: PendingStream,
  everyMs: number,
): Disposable {
  return setInterval(() => {
    // A client that has disconnected gets no heartbeat. Its attempts may continue, because their usage is charged.
    if (answer.closed || waiting.canSendHeartbeat?.() === false) return;
    if (!answer.headSent) answer.begin(200, { "content-type": waiting.contentType, ...streamHeaders });
    if (!answer.full) answer.write(waiting.heartbeat);
  }, everyMs);
}
