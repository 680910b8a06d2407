import type { UpstreamAnswer } from "@modelgate/channels";
import type { Failure, Units } from "@modelgate/contracts";
import { eventStreamFraming, type StreamFraming } from "@modelgate/formats/sse";
import type { ReportedExtraUsage, VendorRun } from "@modelgate/wires/text";

/**
 * Reads an answer that is a stream. It does not handle money; `StreamForwarder` acts on the usage that the frames
 * report.
 */
export interface StreamAnswerReader {
  readonly kind: "stream";
  readonly framing: VendorFraming;
  /**
   * Returns whether an answer can begin with this frame. False for an error message, and for a frame of another wire.
   */
  isFirstFrame(first: Buffer): boolean;
  /**
   * Creates the translator of a new stream. `mayBeCut` is true if the gateway may have to end the stream before its
   * vendor does.
   */
  translator(how: { readonly mayBeCut: boolean }): StreamTranslator;
  /**
   * Follows an answer that the vendor generates in the background. A broken stream is then resumed, and the answer is
   * cancelled at the vendor if nobody reads it to its end. Absent: the answer ends with its connection.
   */
  readonly run?: VendorRun | undefined;
  /** Receives each frame of the vendor before it is sent to the client. */
  observe?(frame: Buffer): void;
  /** Counts the images in a frame, if images are billed in addition to tokens. */
  countImages?(frame: Buffer): number;
}

/**
 * Translates a vendor's frames for the client, one by one. It is synchronous and accesses neither sockets nor money.
 */
export interface StreamTranslator {
  /** Media type of the client's stream. */
  readonly contentType: string;
  /** Reads the vendor's next frame. Throws RangeError or Failure if the frame cannot be read. */
  read(frame: Buffer): FrameReading;
  /**
   * Reads a chunk that begins with a frame. Returns the `FrameReading.text` of its frames if they are complete, contain
   * only output of the model and are passed to the client unchanged. Undefined if they must be read one by one.
   * Absent: all frames are read one by one.
   */
  readOutput?(chunk: Buffer): string | undefined;
  /**
   * Extracts the text that the model wrote from `FrameReading.text` of one frame, or of several frames concatenated.
   */
  extractText(raw: string): string;
  /** Returns whether the frame may contain reasoning, which some vendors do not count against the output limit. */
  mayThink(frame: Buffer): boolean;
  /**
   * Returns the last bytes for the client after the vendor's stream has ended. Throws Failure upstream_error if the
   * vendor's stream is incomplete.
   */
  end(): Buffer | string;
  /**
   * Last frames that the client received; set when the stream has ended. In some wires they contain the complete
   * answer.
   */
  readonly last: Buffer | string;
  /**
   * Returns the error frame that ends a broken stream; undefined if the wire cannot express one, and the connection is
   * closed instead.
   */
  fail(failure: Failure, requestId: string): string | undefined;
  /**
   * Returns the last bytes of a stream that is ended before its vendor ends it, as if it had reached its output limit,
   * with the usage `used`. Undefined or absent if the wire cannot express this at this point.
   */
  cut?(used: Units): Buffer | string | undefined;
  /** Returns a heartbeat for a silent stream; "" if none can be sent at this point. */
  heartbeat(): string;
}

/** Contents of a frame that has not been sent to the client yet. */
export interface FrameReading {
  /** Raw output of the model in the frame, from which `extractText` extracts the text; "" if there is none. */
  readonly text: string;
  /** Usage that the frame reports, as a total of the stream so far. */
  readonly usage?: Units | undefined;
  /** Charges other than tokens that the frame reports. */
  readonly fees?: ReportedExtraUsage | undefined;
  /** True for the frame that ends a stream in its wire. */
  readonly isLast: boolean;
  /** Failure that the vendor reports in the frame. No frame follows. */
  readonly failure?: Failure | undefined;
  /** Renders the frame for the client. It must be called once per frame, in order. */
  render(): Buffer | string;
}

/** Headers of a vendor's answer. */
export type UpstreamHead = Pick<UpstreamAnswer, "headers">;

/** Media type of server-sent events. */
export const eventStream = "text/event-stream; charset=utf-8";

/** Returns whether the head of an answer declares a stream of server-sent events. */
export function isEventStream(head: UpstreamHead): boolean {
  return String(head.headers["content-type"] ?? "").includes(eventStreamFraming.mediaType);
}

/** Splits a vendor's bytes into frames, and parses the frames. */
export type VendorFraming = Pick<StreamFraming, "splitter" | "parse">;

const nothing = Buffer.alloc(0);

/** Framing for bytes without frames, such as audio: each chunk counts as one frame. */
export const byteFraming: VendorFraming = {
  splitter: () => ({ push: (chunk) => [chunk], empty: true, end: () => nothing }),
  parse: () => ({ data: "" }),
};
