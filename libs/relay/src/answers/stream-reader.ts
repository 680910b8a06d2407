import type { UpstreamAnswer } from "@modelgate/channels";
import { Failure, type Units } from "@modelgate/contracts";
import { eventStreamFraming, type StreamFraming } from "@modelgate/wires/sse";
import type { ReportedFees } from "@modelgate/wires/text";

/** Reads an answer that is a stream. It does not handle money: `StreamPass` acts on the usage that a frame reports. */
export interface StreamAnswerReader {
  readonly kind: "stream";
  readonly framing: FrameCutting;
  /**
   * Returns whether an answer can begin with this frame. False for an error, and for a frame that is not in this wire.
   */
  begins(first: Buffer): boolean;
  /**
   * Creates the translator of a new stream. `mayBeCut` is true if the stream may have to end before its vendor ends it.
   */
  translator(how: { readonly mayBeCut: boolean }): StreamTranslator;
  /** Observes every frame of the vendor before it is sent to the client. */
  observe?(frame: Buffer): void;
  /** Counts the images in a frame, if images are billed in addition to tokens. */
  countImages?(frame: Buffer): number;
}

/** Translates a vendor's frames for the client, one by one. It is synchronous and does not access sockets or money. */
export interface StreamTranslator {
  /** Media type of the client's stream. */
  readonly contentType: string;
  /** Reads the vendor's next frame. Throws RangeError or Failure if the frame cannot be read. */
  read(frame: Buffer): FrameReading;
  /** Extracts the text that the model wrote from the `words` of one reading, or of several concatenated readings. */
  wordsOf(words: string): string;
  /**
   * Returns whether the last frame that was read may contain reasoning, which some vendors do not count against the
   * output limit.
   */
  mayThink(frame: Buffer): boolean;
  /**
   * Ends the client's stream when the vendor's has ended. Throws Failure upstream_error if the vendor's stream is
   * incomplete.
   */
  end(): Buffer | string;
  /**
   * Last frames that the client received, available when the stream has ended. In some wires they contain the complete
   * answer.
   */
  readonly last: Buffer | string;
  /**
   * Ends a broken stream with an error. Returns undefined if the wire cannot express one; the connection is then
   * closed.
   */
  fail(failure: Failure, requestId: string): string | undefined;
  /**
   * Ends a stream before its vendor does, as if it had reached its output limit, and reports the usage. Undefined or
   * absent: the wire cannot express this at this point.
   */
  cut?(used: Units): Buffer | string | undefined;
  /** Returns a heartbeat for a silent stream; "" if none can be sent at this point. */
  heartbeat(): string;
}

/** Contents of a frame. No part of it has been sent to the client yet. */
export interface FrameReading {
  /** Text that the model wrote in the frame, in the form that `wordsOf` reads; "" if there is none. */
  readonly words: string;
  /** Latest report of usage, as totals. */
  readonly usage?: Units | undefined;
  /** Charges other than tokens. */
  readonly fees?: ReportedFees | undefined;
  /** True for the wire's terminal frame. */
  readonly done: boolean;
  /** Failure that the vendor reports in the frame. The content before it is rendered; no frame follows. */
  readonly failure?: Failure | undefined;
  /** Renders the frame for the client. Call it once, in the order of the frames. */
  render(): Buffer | string;
}

/** Head of an answer. */
export type UpstreamHead = Pick<UpstreamAnswer, "headers">;

/** Media type of server-sent events. */
export const eventStream = "text/event-stream; charset=utf-8";

/** Returns whether the head of an answer declares a stream of server-sent events. */
export function isEventStream(head: UpstreamHead): boolean {
  return isStreamOf(eventStreamFraming, head);
}

/** Throws Failure upstream_error if the answer is not a stream in this framing. */
export function requireStreamOf(framing: Pick<StreamFraming, "mediaType">, head: UpstreamHead): void {
  if (!isStreamOf(framing, head)) throw new Failure("upstream_error", "The vendor did not answer with a stream.");
}

function isStreamOf({ mediaType }: Pick<StreamFraming, "mediaType">, { headers }: UpstreamHead): boolean {
  return String(headers["content-type"] ?? "").includes(mediaType);
}

/** Splits a stream into frames. */
export type FrameCutting = Pick<StreamFraming, "splitter" | "parse">;

const nothing = Buffer.alloc(0);

/** Splits bytes without frames (for example audio): each chunk is one frame. */
export const byteFraming: FrameCutting = {
  splitter: () => ({ push: (chunk) => [chunk], empty: true, end: () => nothing }),
  parse: () => ({ data: "" }),
};
