import type { Readable } from "node:stream";
import type { UpstreamAnswer } from "@modelgate/channels";
import type { UpstreamWire, Units } from "@modelgate/contracts";
import type { VendorRequest } from "@modelgate/providers";
import type { ReportedFees } from "@modelgate/wires/text";
import type { SentFees } from "../money/fees.ts";
import type { HeldMoney } from "../money/held-money.ts";
import type { Outcome } from "../outcome.ts";
import type { UpstreamHead, StreamAnswerReader } from "./stream-reader.ts";

/** Exchange of one attempt with a vendor: the request, and the reader of its answer. Created for each attempt. */
export interface Exchange extends SentFees {
  readonly wire: UpstreamWire;
  /** Body of the request. A stream can be read only once, so each attempt creates a new one. */
  readonly body: Buffer | Readable;
  /** Additional headers of the request; they replace default headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Query parameters of the request. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Request that the provider has made already; absent: it is made from `body`, `headers` and `query`. */
  readonly request?: VendorRequest | undefined;
  /** True if the request is for a stream. */
  readonly streams: boolean;
  /**
   * True if the vendor starts a task that is billed once. A request that the vendor may have received is not sent
   * again.
   */
  readonly unrepeatable?: boolean | undefined;
  /** Fields of the client's request that this vendor does not support, in the client's spelling. */
  readonly dropped: readonly string[];
  /**
   * Selects the reader of the answer by its head. Throws Failure upstream_error if the head does not begin an answer.
   */
  read(head: UpstreamHead): AnswerReader;
}

/**
 * Reader of an answer: of a complete one, of one that needs further requests to the vendor, of the start of a job, or of
 * a stream.
 */
export type AnswerReader = WholeReader | TaskReader | JobReader | StreamAnswerReader;

/** Reads an answer that is complete with its last byte. */
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
  /**
   * Reads the first answer, while another channel can still be tried. Rejects with the same Failures as
   * `WholeReader.read`.
   */
  read(bytes: Buffer): Promise<StartedTask>;
}

/** Reads the answer to the start of a job, which outlives its call. */
export interface JobReader {
  readonly kind: "job";
  /** Reads the answer, while another channel can still be tried. Throws Failure, or Refused, if no job was started. */
  read(answer: UpstreamAnswer): Promise<StartedJob>;
}

/** A job that its vendor has accepted. */
export interface StartedJob {
  /**
   * Stores the job, to which the call's money is handed over. Returns the client's answer as JSON. Throws Failure if the
   * job could not be stored; the call is then settled as failed.
   */
  keep(held: JobMoney, outcome: Outcome): Promise<Buffer>;
}

/** Held money of a call that starts a job. */
export type JobMoney = Pick<HeldMoney, "again" | "handOver" | "record">;

/** A complete answer in the client's wire. */
export interface WholeAnswer {
  readonly body: Buffer;
  /** Media type of the body; absent: JSON. */
  readonly contentType?: string | undefined;
  /** Usage that the vendor reports; undefined if it reports none. */
  readonly usage?: Units | undefined;
  /** Bytes of text that the vendor read in addition to the client's; used to estimate tokens if it reports no usage. */
  readonly addedBytes?: number | undefined;
  /** Charges other than tokens that the vendor reports. */
  readonly fees?: ReportedFees | undefined;
  /** Returns the text that the model wrote; its tokens are counted if the vendor reports no usage. */
  words(): string;
}

/** A task that the vendor has started. */
export interface StartedTask {
  /** Usage, if it is known before the task finishes. */
  readonly usage?: Units | undefined;
  /** Completes the answer. Rejects with Failure, also when the client disconnects. */
  finish(vendor: VendorLink): Promise<WholeAnswer>;
}

/** Connection to the vendor that answered, for further requests of the same call. */
export interface VendorLink {
  /** Polls a task. Returns the vendor's answer as JSON bytes. Throws Failure. */
  poll(task: string): Promise<Buffer>;
  /** Sends another request of the same call once. Returns the vendor's complete answer. Throws Failure. */
  send(body: Buffer): Promise<UpstreamHead & { readonly bytes: Buffer }>;
  /** Scheme, host and port of the channel's configured address. */
  readonly origin: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}
