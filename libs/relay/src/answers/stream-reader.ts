import type { UpstreamAnswer } from "@modelgate/channels";
import { Failure, type FailureCode, type Units } from "@modelgate/contracts";
import { eventStreamFraming, type Frame, type StreamFraming } from "@modelgate/formats/sse";
import { cleanText } from "@modelgate/providers";
import type { FailureEvent, ReportedExtraUsage, VendorRun } from "@modelgate/wires/text";

/** Reads an answer that is a stream. It does not handle money. */
export interface StreamAnswerReader {
  readonly kind: "stream";
  readonly framing: VendorFraming;
  /** Returns false for an error message and for a frame of another wire, because no answer can begin with them. */
  isFirstFrame(first: Frame): boolean;
  /** Creates the translator of a new stream. `mayBeCut` is true if the gateway may have to end the stream early. */
  translator(how: { readonly mayBeCut: boolean }): StreamTranslator;
  /**
   * Answer that the vendor generates in the background. Its stream is resumed if it breaks, and it is cancelled if
   * nobody reads it.
   */
  readonly run?: VendorRun | undefined;
  /** Called with each frame before the client receives it. */
  observe?(frame: Buffer): void;
  /** Counts the images in a frame, if they are billed in addition to tokens. */
  countImages?(frame: Buffer): number;
}

/** Translates a vendor's frames for the client, one by one. */
export interface StreamTranslator {
  readonly contentType: string;
  /** Throws RangeError or Failure if the frame cannot be read. */
  read(frame: Buffer): FrameReading;
  /**
   * Reads the first frames of a chunk together, as far as they contain only output and are sent unchanged. Undefined or
   * absent if the frames must be read one by one.
   */
  readOutput?(chunk: Buffer): OutputFrames | undefined;
  /** Extracts the model's text from `FrameReading.text` of one or several frames. */
  extractText(raw: string): string;
  /** Returns true if the frame may contain reasoning, to which some vendors do not apply the output limit. */
  mayContainReasoning(frame: Buffer): boolean;
  /** Returns the last bytes for the client. Throws Failure upstream_error if the vendor's stream is incomplete. */
  end(): Buffer | string;
  /** Last frames that the client received. In some wires they contain the complete answer. */
  readonly last: Buffer | string;
  /**
   * Returns the error frame that ends a broken stream; undefined if the wire has none, and the connection must be
   * closed.
   */
  fail(failure: Failure, requestId: string): string | undefined;
  /**
   * Returns the last bytes of a stream that the gateway ends, as if it had reached its output limit. Undefined or
   * absent if the wire cannot express this.
   */
  cut?(used: Units): Buffer | string | undefined;
  /** Returns a heartbeat for a silent stream; "" if none can be sent now. */
  heartbeat(): string;
}

/** Complete frames at the start of a chunk that contain only output. */
export interface OutputFrames {
  readonly bytes: Buffer;
  /** Raw output of all frames, as in `FrameReading`. */
  readonly text: string;
}

/** Contents of a frame that was not sent to the client yet. */
export interface FrameReading {
  /** Raw output of the model, from which `extractText` extracts the text, or "". */
  readonly text: string;
  /** Total usage of the stream so far. */
  readonly usage?: Units | undefined;
  /** Charges other than tokens that the frame reports. */
  readonly fees?: ReportedExtraUsage | undefined;
  /** True for the frame that ends a stream in its wire. */
  readonly isLast: boolean;
  /** Failure that the vendor reports in the frame. No frame follows. */
  readonly failure?: Failure | undefined;
  /** Renders the frame for the client. Must be called once per frame, in order. */
  render(): Buffer | string;
}

/** Failure codes of statuses that a vendor reports within its stream. */
const codes: ReadonlyMap<number | undefined, FailureCode> = new Map([
  [429, "upstream_rate_limited"],
  [529, "upstream_overloaded"],
]);

/** Converts a failure that a vendor reports within its stream. */
export function streamFailure({ message, status }: FailureEvent): Failure {
  const text = cleanText(message);
  const code = codes.get(status) ?? "upstream_error";
  const end = text === "" ? "." : `: ${text}`;
  return new Failure(code, `The vendor failed in the middle of its answer${end}`);
}

/** Headers of a vendor's answer. */
export type UpstreamHead = Pick<UpstreamAnswer, "headers">;

/** Media type of server-sent events. */
export const eventStream = "text/event-stream; charset=utf-8";

/** Returns true if an answer is a stream of server-sent events. */
export function isEventStream(head: UpstreamHead): boolean {
  return String(head.headers["content-type"] ?? "").includes(eventStreamFraming.mediaType);
}

/** Splits a vendor's bytes into frames, and parses these. */
export type VendorFraming = Pick<StreamFraming, "splitter" | "parse">;

const nothing = Buffer.alloc(0);

/** Framing for bytes without frames, such as audio: each chunk is one frame. */
export const byteFraming: VendorFraming = {
  splitter: () => ({ push: (chunk) => [chunk], empty: true, end: () => nothing }),
  parse: () => ({ data: "" }),
};
