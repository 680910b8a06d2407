import type { Failure } from "@modelgate/contracts";
import type { AnswerSink } from "@modelgate/platform";

/** Heartbeats and errors of a client's stream before a vendor has begun to answer. */
export interface StreamWaiting {
  readonly contentType: string;
  readonly sign: string;
  /**
   * Returns whether heartbeats may be sent now; absent: always. False while the body that selects the stream may still
   * arrive or be invalid.
   */
  isDue?(): boolean;
  /** Renders the wire's in-band error, which ends the stream. */
  fail(failure: Failure, requestId: string): string;
}

/** Returns the head of a stream. */
export function streamHead(contentType: string): Readonly<Record<string, string>> {
  return { "content-type": contentType, "cache-control": "no-cache", "x-accel-buffering": "no" };
}

/**
 * Sends heartbeats to a client whose vendor has not begun to answer, because proxies may close a silent connection. The
 * head is then sent, so a later failure is reported in the stream; other vendors are still tried, because no part of an
 * answer was sent. Dispose it when an answer begins.
 */
export function keepWaiting(
  answer: Pick<AnswerSink, "begin" | "begun" | "closed" | "full" | "write">,
  waiting: StreamWaiting,
  everyMs: number,
): Disposable {
  return setInterval(() => {
    // A client that has left may still have its vendor heard out.
    if (answer.closed || waiting.isDue?.() === false) return;
    if (!answer.begun) answer.begin(200, streamHead(waiting.contentType));
    if (!answer.full) answer.write(waiting.sign);
  }, everyMs);
}
