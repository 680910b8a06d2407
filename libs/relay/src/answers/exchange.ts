import type { Readable } from "node:stream";
import type { UpstreamAnswer } from "@modelgate/channels";
import type { UpstreamWire, Units } from "@modelgate/contracts";
import type { VendorRequest } from "@modelgate/providers";
import type { ReportedExtraUsage, VendorRun } from "@modelgate/wires/text";
import type { SentFees } from "../money/fees.ts";
import type { HeldMoney } from "../money/held-money.ts";
import type { Outcome } from "../outcome.ts";
import type { UpstreamHead, StreamAnswerReader } from "./stream-reader.ts";

/** The exchange of one attempt with a vendor: the request to send, and the reader of the answer. */
export interface Exchange extends SentFees {
  readonly wire: UpstreamWire;
  /** Body of the request. A stream can be read only once, so each attempt creates a new one. */
  readonly body: Buffer | Readable;
  /** Additional headers of the request; they replace default headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Query parameters of the request. Those that a client sends in the same wire replace them. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Request that the provider has built already; absent: the request is built from `body`, `headers` and `query`. */
  readonly request?: VendorRequest | undefined;
  /** True if the request asks the vendor for a stream. */
  readonly streams: boolean;
  /**
   * True if the request starts a task that the vendor bills. It is then not sent again if the vendor may have received
   * it.
   */
  readonly unrepeatable?: boolean | undefined;
  /**
   * Fields of the client's request that this vendor does not support and that were left out, in the client's spelling.
   */
  readonly dropped: readonly string[];
  /**
   * Selects the reader of the answer by its headers. Throws Failure upstream_error if they do not belong to a valid
   * answer.
   */
  read(head: UpstreamHead): AnswerReader;
}

/**
 * Reader of an answer. The kind says whether the answer is complete, needs further requests to the vendor, starts a
 * job, or is a stream.
 */
export type AnswerReader = CompleteAnswerReader | TaskReader | JobReader | StreamAnswerReader;

/** Reads an answer that is complete and not streamed. */
export interface CompleteAnswerReader {
  readonly kind: "complete";
  /**
   * Converts the answer for the client. Rejects with Failure upstream_error if the answer cannot be parsed or
   * converted; another channel is then tried.
   */
  read(bytes: Buffer): Promise<CompleteAnswer>;
}

/** Reads an answer that needs further requests to its vendor, for example to poll a task or fetch files. */
export interface TaskReader {
  readonly kind: "task";
  /**
   * Reads the first answer. Rejects with the same Failures as `CompleteAnswerReader.read`; another channel is then
   * tried.
   */
  read(bytes: Buffer): Promise<StartedTask>;
}

/** Reads the answer to a request that starts a job. The job continues after its call has ended. */
export interface JobReader {
  readonly kind: "job";
  /** Reads the answer. Throws Failure or VendorRefusal if no job was started; another channel is then tried. */
  read(answer: UpstreamAnswer): Promise<StartedJob>;
}

/** A job that its vendor has accepted. */
export interface StartedJob {
  /**
   * Stores the job, which takes over the money that is held for the call. Returns the client's answer as JSON. Throws
   * Failure if the job could not be stored; the call is then settled as failed.
   */
  store(held: JobMoney, outcome: Outcome): Promise<Buffer>;
}

/** The money that is held for a call which starts a job. */
export type JobMoney = Pick<HeldMoney, "renew" | "handOver" | "record">;

/** A complete answer in the client's wire (API format). */
export interface CompleteAnswer {
  readonly body: Buffer;
  /** Media type of the body; absent: JSON. */
  readonly contentType?: string | undefined;
  /** Usage that the vendor reports; undefined if it reports none. */
  readonly usage?: Units | undefined;
  /**
   * Bytes of text that the gateway added to the client's request. They are used to estimate tokens if the vendor
   * reports no usage.
   */
  readonly addedBytes?: number | undefined;
  /** Reported charges in addition to tokens, such as tool calls. */
  readonly fees?: ReportedExtraUsage | undefined;
  /**
   * Returns the text that the model wrote; its tokens are counted if the vendor reports no usage. Absent: it wrote
   * none.
   */
  text?(): string;
}

/** An answer that the vendor has begun and that needs further requests. */
export interface StartedTask {
  /** Usage, if the vendor reported it before the task has finished. */
  readonly usage?: Units | undefined;
  /** The task at its vendor, which the gateway cancels if the client disconnects. Absent: it cannot be cancelled. */
  readonly run?: Pick<VendorRun, "id" | "hasEnded" | "usageOf"> | undefined;
  /** Waits for the complete answer. Rejects with Failure if the task fails or the client disconnects. */
  finish(vendor: VendorLink): Promise<CompleteAnswer>;
}

/** Sends further requests of the same call to the vendor that answered. */
export interface VendorLink {
  /** Polls a task once. Returns the vendor's answer as JSON bytes. Throws Failure. */
  poll(task: string): Promise<Buffer>;
  /** Sends another request of the same call. Returns the vendor's complete answer. Throws Failure. */
  send(body: Buffer): Promise<UpstreamHead & { readonly bytes: Buffer }>;
  /** Origin (scheme, host and port) of the channel's configured address. */
  readonly origin: string;
  /** URL of the channel's proxy; undefined: none. */
  readonly proxy: string | undefined;
  /** Signal that is aborted when no further request may be sent, usually because the client has disconnected. */
  readonly signal: AbortSignal;
}
