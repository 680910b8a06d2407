import type { Failure } from "@modelgate/contracts";
import type { AnswerSink } from "@modelgate/platform";

/** Heartbeats and errors for a client that waits for a stream while no vendor has begun to answer. */
export interface StreamWaiting {
  readonly contentType: string;
  readonly sign: string;
  /**
   * Returns whether heartbeats may be sent now; absent: always. False while the body, which decides whether there is a
   * stream, may still arrive or be invalid.
   */
  isDue?(): boolean;
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
export function keepWaiting(
  answer: Pick<AnswerSink, "begin" | "headSent" | "closed" | "full" | "write">,
  waiting: StreamWaiting,
  everyMs: number,
): Disposable {
  return setInterval(() => {
    // The vendor's answer may still be read although the client has disconnected.
    if (answer.closed || waiting.isDue?.() === false) return;
    if (!answer.headSent) answer.begin(200, { "content-type": waiting.contentType, ...streamHeaders });
    if (!answer.full) answer.write(waiting.sign);
  }, everyMs);
}
