import type { UpstreamAnswer } from "@modelgate/channels";
import { Failure, type Units } from "@modelgate/contracts";
import { eventStreamFraming, type StreamFraming } from "@modelgate/wires/sse";
import type { ReportedFees } from "@modelgate/wires/text";

/** Reads an answer that is a stream. It knows nothing of money: what a frame says of it is the stream pass' to act on. */
export interface StreamAnswerReader {
  readonly kind: "stream";
  readonly framing: FrameCutting;
  /** Returns whether an answer can begin with this frame: not if it is an error, or nothing of this wire. */
  begins(first: Buffer): boolean;
  /** A new stream's translator; `mayBeCut` where it may have to end before its vendor ends it. */
  translator(how: { readonly mayBeCut: boolean }): StreamTranslator;
  /** Sees every frame of the vendor's before the client has it. */
  observe?(frame: Buffer): void;
  /** Counts the images in a frame, where they are paid for beside tokens. */
  countImages?(frame: Buffer): number;
}

/** Turns a vendor's frames into the client's, one by one: synchronous, and blind to sockets and money. */
export interface StreamTranslator {
  /** The media type of the client's stream. */
  readonly contentType: string;
  /** Reads the vendor's next frame. Throws RangeError or Failure for what cannot be read. */
  read(frame: Buffer): FrameReading;
  /** The model's words out of `words` of one reading, or of many together. */
  wordsOf(words: string): string;
  /** Returns whether the frame that was read last may hold thoughts, which some vendors do not bound. */
  mayThink(frame: Buffer): boolean;
  /** Ends the client's stream when the vendor's has ended. Throws Failure upstream_error if that was cut off. */
  end(): Buffer | string;
  /** The last frames that the client got, once the stream is over: they hold the whole answer where its wire does that. */
  readonly last: Buffer | string;
  /** Ends a broken stream; nothing follows. Undefined: the wire has no words for it, and the connection is cut. */
  fail(failure: Failure, requestId: string): string | undefined;
  /**
   * Ends a stream before its vendor does, as one that reached its bound of tokens, with what it used. Undefined, or
   * absent: it has no words for that now.
   */
  cut?(used: Units): Buffer | string | undefined;
  /** A sign of life for a silent stream; "" where none is possible now. */
  heartbeat(): string;
}

/** Contents of a frame; nothing of it has reached the client yet. */
export interface FrameReading {
  /** Text that the model wrote in it, as `wordsOf` reads it; "" for nothing. */
  readonly words: string;
  /** The newest report of usage, whole. */
  readonly usage?: Units | undefined;
  /** Charges beside tokens. */
  readonly fees?: ReportedFees | undefined;
  /** True if nothing follows: the wire's terminal frame. */
  readonly done: boolean;
  /** The vendor failed; what it said before is rendered, and nothing follows. */
  readonly failure?: Failure | undefined;
  /** Renders the frame for the client: once, and in the order of the frames. */
  render(): Buffer | string;
}

/** An answer's head. */
export type UpstreamHead = Pick<UpstreamAnswer, "headers">;

/** The media type of server-sent events. */
export const eventStream = "text/event-stream; charset=utf-8";

/** Returns whether an answer says of itself that it is a stream of events. */
export function isEventStream(head: UpstreamHead): boolean {
  return isStreamOf(eventStreamFraming, head);
}

/** Refuses an answer that is no stream of a framing. Throws Failure upstream_error. */
export function requireStreamOf(framing: Pick<StreamFraming, "mediaType">, head: UpstreamHead): void {
  if (!isStreamOf(framing, head)) throw new Failure("upstream_error", "The vendor did not answer with a stream.");
}

function isStreamOf({ mediaType }: Pick<StreamFraming, "mediaType">, { headers }: UpstreamHead): boolean {
  return String(headers["content-type"] ?? "").includes(mediaType);
}

/** Cutting of a stream into frames. */
export type FrameCutting = Pick<StreamFraming, "splitter" | "parse">;

const nothing = Buffer.alloc(0);

/** Bytes without frames, as sound: each chunk is one. */
export const byteFraming: FrameCutting = {
  splitter: () => ({ push: (chunk) => [chunk], empty: true, end: () => nothing }),
  parse: () => ({ data: "" }),
};
