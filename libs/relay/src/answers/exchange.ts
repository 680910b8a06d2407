import type { Readable } from "node:stream";
import type { UpstreamAnswer } from "@modelgate/channels";
import type { Failure, Units, UpstreamWire } from "@modelgate/contracts";
import type { AskedFees, SeenFees } from "@modelgate/wires/text";
import type { Produced } from "../money/meter.ts";

/** What one attempt says to a vendor, and how the vendor's answer becomes the client's. Made anew for every attempt. */
export interface Exchange {
  readonly wire: UpstreamWire;
  /** A stream is read once: every attempt has its own. */
  readonly body: Buffer | Readable;
  /** Headers of the request beside the usual ones, or in their place: a content type that is not JSON. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the vendor begins a task that is paid for once: what it may have taken is not sent again. */
  readonly unrepeatable?: boolean | undefined;
  /** What the body asks of the vendor beside tokens; absent: what the client's own does. */
  readonly asks?: AskedFees | undefined;
  /** Bounds the calls of tools in a body; absent: its wire has no word for that. */
  capTools?: ((body: Buffer, most: number) => Buffer) | undefined;
  /** Whether the vendor is asked for a stream; absent: as the client asked. */
  readonly asksStream?: boolean | undefined;
  /** Fields of the client's request that this vendor cannot take, as the client spells them. */
  readonly dropped: readonly string[];
  /** How an answer of this head is to be read; absent: as the client asked for it. */
  formOf?(answer: Pick<UpstreamAnswer, "headers">): AnswerForm;
  /** Whether the first frame of a stream says that the vendor failed. */
  refuses(frame: Buffer): boolean;
  /**
   * Reads a complete answer once, while another channel can still be tried. Rejects with Failure upstream_error if it
   * cannot be parsed or converted for the client.
   */
  read(answer: Buffer): Promise<ReadAnswer>;
  /** The client's side of a stream that begins; `gate` where its money may not last to its end. */
  stream(produced: Produced, gate?: StreamGate): StreamCarrier;
}

/** How a vendor's answer comes: whole and in JSON, as server-sent events, or as a stream of any bytes. */
export type AnswerForm = "whole" | "events" | "bytes";

/** The vendor that gave an answer, for what is still to be asked of it. */
export interface VendorLink {
  /** Where a task of it stands, as JSON bytes. Throws Failure. */
  look(task: string): Promise<Buffer>;
  /** Its whole answer to another request of the same call, once. Throws Failure. */
  ask(body: Buffer): Promise<Buffer>;
  /** Scheme, host and port of the channel's own address. */
  readonly origin: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** A complete answer that has been read. */
export interface ReadAnswer {
  /** What the vendor says that it used; undefined if it does not say. */
  readonly usage?: Units | undefined;
  /** What the vendor says that it charges beside tokens. */
  readonly fees?: SeenFees | undefined;
  /** Gives the answer to the client's wire. `vendor` polls unfinished tasks and fetches linked files. Throws Failure. */
  carry(vendor: VendorLink): CarriedAnswer | Promise<CarriedAnswer>;
}

/** A whole answer in the client's wire. */
export interface CarriedAnswer {
  readonly json: Buffer;
  /** Its media type, where it is not JSON. */
  readonly contentType?: string | undefined;
  /** What it used, where that shows only once the answer is whole. */
  readonly usage?: Units | undefined;
  /** What the model wrote, for counting where the vendor reported nothing. */
  words(): string;
}

/** What a chunk of the vendor's comes to; with a failure, nothing follows it. */
export interface Carried {
  readonly out: Buffer | string;
  readonly failure?: Failure | undefined;
  /** Frames wait that are not paid for: a push of nothing goes on with them. */
  readonly isDry?: boolean;
}

/** Who says which of a vendor's frames are paid for. */
export interface StreamGate {
  /** Whether a frame of so many bytes is, whatever is in it. */
  covers(bytes: number): boolean;
  /** Whether one with so many bytes of words is; `thinks` where they are thoughts, which some vendors do not bound. */
  admits(wordBytes: number, thinks?: boolean): boolean;
}

/** The media type of server-sent events. */
export const eventStream = "text/event-stream; charset=utf-8";

/** A stream on its way to the client, chunk by chunk: synchronous, and blind to sockets. */
export interface StreamCarrier {
  readonly contentType: string;
  /** Throws RangeError or Failure for what cannot be carried. */
  push(chunk: Buffer): Carried;
  /** Whether nothing follows: the wire's terminal frame was seen. */
  readonly done: boolean;
  /** The vendor's stream is over: what ends the client's. Throws Failure upstream_error where it was cut. */
  end(): Buffer | string;
  /** The last frames that the client got, once the stream is over: they tell the whole answer where its wire does. */
  readonly last: string;
  /** How a broken stream ends; nothing follows. Undefined: it has no words for it, and the connection is cut. */
  fail(failure: Failure, requestId: string): string | undefined;
  /**
   * How a stream ends that is cut where its money ends: as one that reached its bound of tokens, with what it used.
   * Undefined, or absent: it has no words for that now.
   */
  cut?(used: Units): Buffer | string | undefined;
  /** A sign of life for a silent stream; "" where none can stand now. */
  heartbeat(): string;
}
