import { headers, type Failure } from "@modelgate/contracts";
import type { AnswerSink } from "@modelgate/platform";

/** Stream that a client waits for before a vendor answers: its heartbeats and its error frame. */
export interface PendingStream {
  readonly contentType: string;
  readonly heartbeat: string;
  /**
   * False until the complete body has arrived, because the body decides whether the client receives a stream. Absent:
   * always true.
   */
  canSendHeartbeat?(): boolean;
  fail(failure: Failure, requestId: string): string;
}

/** Headers with which caches and proxies do not delay a stream. */
const streamHeaders = { "cache-control": "no-cache", "x-accel-buffering": "no" } as const;

/** Sends the head of a stream, which announces the trailer with the cost. */
export function beginStream(answer: Pick<AnswerSink, "announceTrailer" | "begin">, contentType: string): void {
  answer.announceTrailer(headers.cost);
  answer.begin(200, { "content-type": contentType, ...streamHeaders });
}

/**
 * Sends heartbeats to a client before a vendor answers, because proxies may close a silent connection. The first
 * heartbeat sends the head, so that later failures are reported in the stream. Dispose it when an answer begins.
 */
export function sendHeartbeats(
  answer: Pick<AnswerSink, "announceTrailer" | "begin" | "isHeadSent" | "isClosed" | "isFull" | "write">,
  waiting: PendingStream,
  everyMs: number,
): Disposable {
  return setInterval(() => {
    // The attempts of a client that has disconnected may continue.
    if (answer.isClosed || waiting.canSendHeartbeat?.() === false) return;
    if (!answer.isHeadSent) beginStream(answer, waiting.contentType);
    if (!answer.isFull) answer.write(waiting.heartbeat);
  }, everyMs);
}
