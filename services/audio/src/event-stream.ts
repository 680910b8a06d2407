import { Failure, failureFrames, type Units } from "@modelgate/contracts";
import { eventStream, type FrameReading, type StreamTranslator, type StreamWaiting } from "@modelgate/relay";
import { parseRecord } from "@modelgate/wires/json";
import { parseFrame, type Frame } from "@modelgate/wires/sse";

/** Comment that keeps a stream open; event readers skip it. */
const signOfLife = ": keep-alive\n\n";

/** Framing of all event streams, from the first heartbeat to the error that ends them. */
export const eventsToClient = {
  contentType: eventStream,
  last: "",
  wordsOf: (words: string) => words,
  mayThink: () => false,
  fail: failureFrames.audio,
  heartbeat: () => signOfLife,
} as const satisfies Partial<StreamTranslator>;

/** Heartbeats for a client of an event stream before its vendor starts. */
export const waitingForEvents: StreamWaiting = {
  contentType: eventStream,
  sign: signOfLife,
  fail: failureFrames.audio,
};

/** Data read from an event. */
export interface EventReading {
  /** True for the last event. */
  readonly done: boolean;
  readonly words?: string;
  readonly usage?: Units | undefined;
}

/** Returns the reading of a frame; `out` is sent to the client. */
export function readingOf({ done, words = "", usage }: EventReading, out: Buffer | string): FrameReading {
  return { words, usage, done, render: () => out };
}

/** Passes a vendor's events through unchanged. `read` parses each event and throws Failure for an error. */
export function eventsThrough(read: (event: Frame) => EventReading): StreamTranslator {
  let done = false;
  return {
    ...eventsToClient,
    read(frame) {
      const event = parseFrame(frame.toString());
      const reading = event === undefined ? comment : read(event);
      done ||= reading.done;
      return readingOf(reading, frame);
    },
    end() {
      if (!done) throw endedEarly();
      return "";
    },
  };
}

const comment: EventReading = { done: false };

/**
 * Returns true if an answer may start with this frame. An error or an unreadable frame returns false, so that another
 * vendor can be tried; a comment is accepted.
 */
export function beginsWith(frame: Buffer, read: (event: Frame) => { readonly kind: string }): boolean {
  const event = parseFrame(frame.toString());
  if (event === undefined) return true;
  try {
    return typeof parseRecord(event.data)?.["type"] === "string" && read(event).kind !== "error";
  } catch {
    return false;
  }
}

/** Failure for a vendor's stream that contains an error. */
export function brokenByVendor(): Failure {
  return new Failure("upstream_error", "The vendor failed in the middle of its answer.");
}

/** Failure for a vendor's stream that ended without its last event. */
export function endedEarly(): Failure {
  return new Failure("upstream_error", "The vendor's stream ended before its last event.");
}
