import { Failure, failureFrames, type Units } from "@modelgate/contracts";
import { eventStream, type FrameReading, type StreamTranslator, type StreamWaiting } from "@modelgate/relay";
import { parseRecord } from "@modelgate/wires/json";
import { parseFrame, type Frame } from "@modelgate/wires/sse";

/** Comment that keeps a stream alive; every reader of events skips it. */
const signOfLife = ": keep-alive\n\n";

/** Framing shared by every stream of events, from its first heartbeat to the error that ends it. */
export const eventsToClient = {
  contentType: eventStream,
  last: "",
  wordsOf: (words: string) => words,
  mayThink: () => false,
  fail: failureFrames.audio,
  heartbeat: () => signOfLife,
} as const satisfies Partial<StreamTranslator>;

/** Heartbeats for a client of a stream of events before its vendor begins. */
export const waitingForEvents: StreamWaiting = {
  contentType: eventStream,
  sign: signOfLife,
  fail: failureFrames.audio,
};

/** Facts read from an event. */
export interface EventReading {
  /** True for the last event. */
  readonly done: boolean;
  readonly words?: string;
  readonly usage?: Units | undefined;
}

/** Reads a frame of which `out` goes to the client. */
export function readingOf({ done, words = "", usage }: EventReading, out: Buffer | string): FrameReading {
  return { words, usage, done, render: () => out };
}

/** Passes a vendor's events on as they came. `read` reads each; it throws Failure for an error. */
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
 * Returns true if an answer can begin with a vendor's frame: not with an error, nor with an unreadable frame; another
 * vendor may be tried then. A comment, which may come first, is neither.
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

/** A stream of a vendor that holds an error. */
export function brokenByVendor(): Failure {
  return new Failure("upstream_error", "The vendor failed in the middle of its answer.");
}

/** A stream of a vendor that ended without its last event. */
export function endedEarly(): Failure {
  return new Failure("upstream_error", "The vendor's stream ended before its last event.");
}
