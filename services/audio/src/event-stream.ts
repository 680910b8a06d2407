import { Failure, failureFrames, type Units } from "@modelgate/contracts";
import { eventStream, type FrameReading, type StreamTranslator, type PendingStream } from "@modelgate/relay";
import { parseRecord } from "@modelgate/formats/json";
import { parseFrame, type Frame } from "@modelgate/formats/sse";

/** SSE comment that keeps a stream open; clients ignore it. */
const heartbeatComment = ": keep-alive\n\n";

/** Members of `StreamTranslator` that are the same for all translators whose output is an event stream. */
export const eventStreamFormat = {
  contentType: eventStream,
  last: "",
  extractText: (text: string) => text,
  mayContainReasoning: () => false,
  fail: failureFrames.audio,
  heartbeat: () => heartbeatComment,
} as const satisfies Partial<StreamTranslator>;

/** Content type, heartbeat and failure of an event stream that has not begun. */
export const pendingEventStream: PendingStream = {
  contentType: eventStream,
  heartbeat: heartbeatComment,
  fail: failureFrames.audio,
};

/** Data of a vendor's event. */
export interface EventReading {
  /** True for the last event of a stream. */
  readonly done: boolean;
  readonly text?: string;
  readonly usage?: Units | undefined;
  /** Text that the client gets in place of the vendor's event. */
  readonly rendered?: string | undefined;
}

/** Combines the data of an event with `out`, the bytes for the client. */
export function makeFrameReading({ done, text = "", usage }: EventReading, out: Buffer | string): FrameReading {
  return { text, usage, isLast: done, render: () => out };
}

/** Creates a translator that passes a vendor's events, unchanged unless `read` renders them. `read` throws Failure for an error. */
export function passEvents(read: (event: Frame) => EventReading): StreamTranslator {
  let isDone = false;
  return {
    ...eventStreamFormat,
    read(frame) {
      const event = parseFrame(frame.toString());
      const reading = event === undefined ? commentReading : read(event);
      isDone ||= reading.done;
      return makeFrameReading(reading, reading.rendered ?? frame);
    },
    end() {
      if (!isDone) throw endedEarlyFailure();
      return "";
    },
  };
}

const commentReading: EventReading = { done: false };

/** Returns true if a vendor's answer may start with this frame. Otherwise another vendor can be tried. */
export function canBeginAnswer(event: Frame, read: (event: Frame) => { readonly kind: string }): boolean {
  try {
    const { kind } = read(event);
    return kind === "delta" || (typeof parseRecord(event.data)?.["type"] === "string" && kind !== "error");
  } catch {
    return false;
  }
}

/** Returns the failure for a vendor's stream that contains an error. */
export function vendorErrorFailure(): Failure {
  return new Failure("upstream_error", "The vendor failed in the middle of its answer.");
}

/** Returns the failure for a vendor's stream that ended without its last event. */
export function endedEarlyFailure(): Failure {
  return new Failure("upstream_error", "The vendor's stream ended before its last event.");
}
