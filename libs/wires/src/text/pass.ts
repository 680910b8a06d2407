import type { Failure, Units } from "@modelgate/contracts";
import type { JsonRecord } from "../json/fields.ts";
import type { SeenFees } from "./fees.ts";
import type { EarlyEnd, EarlyEndOptions } from "./early-end.ts";

/** What a passing frame of a stream says that the gateway must know. */
export interface SeenFrame {
  /** The newest report of usage, whole. */
  readonly usage?: Units | undefined;
  /** What it says of what is charged beside tokens. */
  readonly fees?: SeenFees | undefined;
  /** An extra frame that carries usage and nothing else; hidden from a client that did not ask for it. */
  readonly usageOnly: boolean;
  /** The wire's terminal frame, or one after which nothing must come. */
  readonly done: boolean;
  /** The vendor says in the stream that it failed. */
  readonly failed: boolean;
  /** Whether it failed because it is overloaded; absent: for another reason. */
  readonly overloaded?: boolean | undefined;
  /** The frame's number, on a wire that numbers them. */
  readonly sequence?: number | undefined;
}

/** A frame that says nothing of its own. */
export const plainFrame: SeenFrame = { usageOnly: false, done: false, failed: false };

/** What passing a stream on needs of a wire: frames are forwarded as they came, looked at but not rewritten. */
export interface StreamPassCodec {
  /** Inspects a frame; `before` is the usage that the stream reported so far, for wires that report it in pieces. */
  see(frame: Buffer, before?: Units): SeenFrame;
  /** Whether a stream that ends without a terminal frame is whole all the same: it finished, and its wire has no such frame. */
  readonly endsWithConnection: boolean;
  /** A frame under the client's name of the model. */
  renameFrame(frame: Buffer, model: string): Buffer;
  /** A frame that repeats members of the request which the vendor was not sent. Absent: the wire's answers repeat none. */
  echoFrame?(frame: Buffer, echo: JsonRecord): Buffer;
  /** A frame's part that holds what the model wrote, as raw text; `wordsOf` reads the words out of many of them. */
  written(frame: Buffer): string;
  /** What the model wrote, out of raw pieces or of a whole answer. */
  wordsOf(raw: string): string;
  /** Whether a frame may hold thoughts. */
  showsThoughts(frame: Buffer): boolean;
  /** How a broken stream ends in this wire; nothing follows. `sequence` is the last frame's number, where it has one. */
  failureFrame(failure: Failure, requestId: string, sequence?: number): string;
  /** Keeps a silent stream alive. */
  readonly heartbeat: string;
  /** A new stream's memory, for ending it before its vendor does. Absent: it cannot be. */
  earlyEnd?(options: EarlyEndOptions): EarlyEnd;
}

/**
 * What the pass-through gears need of a wire: the same wire stands at both ends, so bytes are forwarded as they
 * came, looked at but not rewritten, but for the few members that differ. What handles whole bodies does it in steps of a
 * few milliseconds.
 */
export interface PassCodec extends StreamPassCodec {
  /**
   * Whether a vendor's model takes the body as it is. Parts of a conversation may have been with vendors that seal and
   * say less or more than this one: what it would refuse is converted instead. Absent: it takes every body.
   */
  takes?(body: Buffer, model: string): Generator<undefined, boolean>;
  /** Whether `upstreamBody` leaves out what other wires' vendors sealed: a body with such seals may be passed. */
  readonly dropsForeignSeals: boolean;
  /** The members in which a vendor's model reads the bound of its output, the one that it prefers first. */
  boundOrder(model: string): readonly string[];
  /** Which of a request's `foreignNames` a vendor's model refuses. Absent: bodies that hold any are not taken. */
  refuses?(names: readonly string[], model: string): readonly string[];
  /** The request for the vendor: its own name of the model, and usage asked for in streams. The same bytes where nothing differs. */
  upstreamBody(
    body: Buffer,
    change: { readonly model?: string | undefined; readonly reportUsage: boolean },
  ): Generator<undefined, Buffer>;
  /** The request as a vendor takes it that departs from the wire, with the members that it lost. Absent: as it is. */
  fit?(body: Buffer): { readonly body: Buffer; readonly dropped: readonly string[] };
  renameAnswer(answer: Buffer, model: string): Buffer;
  /** A whole answer that repeats members of the request which the vendor was not sent; see `echoFrame`. */
  echoAnswer?(answer: Buffer, echo: JsonRecord): Buffer;
  /** Reads the usage that a complete answer reports. Throws Failure upstream_error if it failed or is no answer of this wire. */
  usage(answer: JsonRecord): Units | undefined;
  /** Reads what a complete answer reports of charges beside tokens. Returns undefined for none. */
  fees(answer: JsonRecord): SeenFees | undefined;
}
