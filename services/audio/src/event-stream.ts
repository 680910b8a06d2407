import { Failure, failureFrames } from "@modelgate/contracts";
import { eventStream, type StreamCarrier, type Waiting } from "@modelgate/relay";
import { SseDecoder, SseSplitter, type Frame } from "@modelgate/wires/sse";

/** What shows that a stream is alive; every reader of events skips it. */
const signOfLife = ": keep-alive\n\n";

/** What every stream of events has, from its first sign of life to the error that ends it. */
export const eventsToClient = {
  contentType: eventStream,
  last: "",
  fail: failureFrames.audio,
  heartbeat: () => signOfLife,
} as const satisfies Partial<StreamCarrier>;

/** How a client of a stream of events is kept waiting before its vendor begins. */
export const waitingForEvents: Waiting = { contentType: eventStream, sign: signOfLife, fail: failureFrames.audio };

/** A vendor's events as they came. `look` sees each and says whether it is the last; it throws Failure for an error. */
export function eventsThrough(look: (event: Frame) => boolean): StreamCarrier {
  const splitter = new SseSplitter();
  const decoder = new SseDecoder();
  let done = false;
  return {
    ...eventsToClient,
    push(chunk) {
      const frames = splitter.push(chunk);
      for (const frame of frames) for (const event of decoder.push(frame)) done = look(event) || done;
      return { out: Buffer.concat(frames) };
    },
    get done() {
      return done;
    },
    end() {
      if (!done) throw endedEarly();
      return "";
    },
  };
}

/**
 * Whether a vendor's stream begins with an error, or with what nobody can read: another vendor may be asked then. A
 * comment, which may come first, is neither.
 */
export function isErrorEvent(frame: Buffer, read: (event: Frame) => { readonly kind: string }): boolean {
  const decoder = new SseDecoder();
  try {
    return [...decoder.push(frame), ...decoder.end()].some((event) => read(event).kind === "error");
  } catch {
    return true;
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
