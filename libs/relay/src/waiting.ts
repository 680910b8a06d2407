import type { Failure } from "@modelgate/contracts";
import type { AnswerSink } from "@modelgate/platform";

/** Signs of life, and failures, of a client's stream before any vendor has begun to answer. */
export interface StreamWaiting {
  readonly contentType: string;
  readonly sign: string;
  /** Returns whether there may be signs by now; absent: always. A body on its way may yet say what is wanted, or be wrong. */
  isDue?(): boolean;
  /** The wire's own in-band error; nothing follows. */
  fail(failure: Failure, requestId: string): string;
}

/** The head of every stream. */
export function streamHead(contentType: string): Readonly<Record<string, string>> {
  return { "content-type": contentType, "cache-control": "no-cache", "x-accel-buffering": "no" };
}

/**
 * Shows signs of life to a client whose vendor has not begun yet: models that think long would otherwise lose their
 * connection to proxies on the way. The head is out then, so a failure that follows stands in the stream; other vendors
 * are still tried, since no part of an answer was sent. Dispose it when an answer begins.
 */
export function keepWaiting(
  answer: Pick<AnswerSink, "begin" | "begun" | "closed" | "full" | "write">,
  waiting: StreamWaiting | undefined,
  everyMs: number,
): Disposable {
  if (waiting === undefined) return { [Symbol.dispose]: () => undefined };
  const timer = setInterval(() => {
    // A client that has left may still have its vendor heard out.
    if (answer.closed || waiting.isDue?.() === false) return;
    if (!answer.begun) answer.begin(200, streamHead(waiting.contentType));
    if (!answer.full) answer.write(waiting.sign);
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
