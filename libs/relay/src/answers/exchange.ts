import type { Readable } from "node:stream";
import type { UpstreamWire, Units } from "@modelgate/contracts";
import type { RequestedFees, ReportedFees } from "@modelgate/wires/text";
import type { UpstreamHead, StreamAnswerReader } from "./stream-reader.ts";

/** One attempt at a vendor: what is sent, and how the answer is read. Made anew for every attempt. */
export interface Exchange {
  readonly wire: UpstreamWire;
  /** A stream is read once: every attempt has its own. */
  readonly body: Buffer | Readable;
  /** Headers of the request beside the usual ones, or in their place: a content type that is not JSON. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Query parameters of the request. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** True if the request is for a stream. */
  readonly streams: boolean;
  /** True if the vendor begins a task that is paid for once: what it may have taken is not sent again. */
  readonly unrepeatable?: boolean | undefined;
  /** Tools and tiers that the body requests; absent: those of the client's own. */
  readonly requestedFees?: RequestedFees | undefined;
  /** Bounds the calls of tools in a body; absent: its wire has no word for that. */
  readonly capTools?: ((body: Buffer, most: number) => Buffer) | undefined;
  /** Fields of the client's request that this vendor cannot take, as the client spells them. */
  readonly dropped: readonly string[];
  /** Chooses how the answer is read, by its head. Throws Failure upstream_error for a head that begins no answer. */
  read(head: UpstreamHead): AnswerReader;
}

/** Reader of an answer: complete at once, completed by further requests to its vendor, or as a stream. */
export type AnswerReader = WholeReader | TaskReader | StreamAnswerReader;

/** Reads an answer that is complete once its last byte is there. */
export interface WholeReader {
  readonly kind: "whole";
  /**
   * Converts the answer for the client, while another channel can still be tried. Rejects with Failure upstream_error if
   * it cannot be parsed or converted.
   */
  read(bytes: Buffer): Promise<WholeAnswer>;
}

/** Reads an answer that needs further requests to its vendor: a task to be polled, files to be fetched. */
export interface TaskReader {
  readonly kind: "task";
  /** Reads the first answer, while another channel can still be tried. Rejects with Failure as `WholeReader.read`. */
  read(bytes: Buffer): Promise<StartedTask>;
}

/** A complete answer in the client's wire. */
export interface WholeAnswer {
  readonly body: Buffer;
  /** Its media type; absent: JSON. */
  readonly contentType?: string | undefined;
  /** Usage that the vendor reports; undefined if it reports none. */
  readonly usage?: Units | undefined;
  /** Bytes of text that the vendor read besides the client's, for counting where it reported no usage. */
  readonly addedBytes?: number | undefined;
  /** Charges beside tokens that the vendor reports. */
  readonly fees?: ReportedFees | undefined;
  /** Returns the text that the model wrote, for counting where the vendor reported no usage. */
  words(): string;
}

/** An answer that its vendor has begun. */
export interface StartedTask {
  /** Usage, where that is known before it is finished. */
  readonly usage?: Units | undefined;
  /** Completes the answer. Rejects with Failure, and when the client leaves. */
  finish(vendor: VendorLink): Promise<WholeAnswer>;
}

/** Connection to the vendor that gave an answer, for further requests of the same call. */
export interface VendorLink {
  /** Asks how a task goes; the vendor's answer as JSON bytes. Throws Failure. */
  poll(task: string): Promise<Buffer>;
  /** Sends another request of the same call, once; the vendor's complete answer. Throws Failure. */
  send(body: Buffer): Promise<UpstreamHead & { readonly bytes: Buffer }>;
  /** Scheme, host and port of the channel's own address. */
  readonly origin: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}
