import type { Readable } from "node:stream";
import type { UpstreamAnswer } from "@modelgate/channels";
import type { Failure, UpstreamWire, Units } from "@modelgate/contracts";
import type { VendorRequest } from "@modelgate/providers";
import type { ReportedExtraUsage, VendorRun } from "@modelgate/wires/text";
import type { SentFees } from "../money/fees.ts";
import type { HeldMoney } from "../money/held-money.ts";
import type { Outcome } from "../outcome.ts";
import type { UpstreamHead, StreamAnswerReader } from "./stream-reader.ts";

/** The exchange of one attempt with a vendor: the request to send, and the reader of the answer. */
export interface Exchange extends SentFees {
  readonly wire: UpstreamWire;
  /** Body of the request. A stream can be sent only once. */
  readonly body: Buffer | Readable;
  /** Additional headers. They replace default headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default query parameters. A client with the same wire can replace them. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Request that the provider has built already. Otherwise it is built from the other members. */
  readonly request?: VendorRequest | undefined;
  /** True if the vendor is requested to send a stream. */
  readonly isStreamed: boolean;
  /** True if a request that the vendor may have received is not sent again, for example because it starts a task. */
  readonly isUnrepeatable?: boolean | undefined;
  /** Unsupported fields of the client's request that were left out, in the client's spelling. */
  readonly dropped: readonly string[];
  /**
   * Selects the reader by the answer's headers. Throws Failure upstream_error if they are not those of a valid answer.
   */
  read(head: UpstreamHead): AnswerReader;
}

/** Reader of an answer, by its kind. */
export type AnswerReader = CompleteAnswerReader | TaskReader | JobReader | StreamAnswerReader;

/** Reads an answer that is complete and not streamed. */
export interface CompleteAnswerReader {
  readonly kind: "complete";
  /**
   * Converts the answer for the client. Rejects with Failure upstream_error if that is not possible; another channel is
   * then tried.
   */
  read(bytes: Buffer): Promise<CompleteAnswer>;
}

/** Reads an answer that needs further requests to its vendor, for example to poll a task. */
export interface TaskReader {
  readonly kind: "task";
  /** Rejects as `CompleteAnswerReader.read` does. */
  read(bytes: Buffer): Promise<StartedTask>;
}

/** Reads the answer to a request that starts a job, which continues after its call. */
export interface JobReader {
  readonly kind: "job";
  /** Throws Failure or VendorRefusal if no job was started; another channel is then tried. */
  read(answer: UpstreamAnswer): Promise<StartedJob>;
}

/** A job that its vendor has accepted. */
export interface StartedJob {
  /**
   * Stores the job, which then owns the held money. Returns the client's answer as JSON. Throws Failure if the job
   * could not be stored.
   */
  store(held: JobMoney, outcome: Outcome): Promise<Buffer>;
}

/** Money that is held for a call which starts a job. */
export type JobMoney = Pick<HeldMoney, "holdAgain" | "handOver" | "record">;

/** A complete answer in the client's wire. */
export interface CompleteAnswer {
  readonly body: Buffer;
  readonly contentType?: string | undefined;
  readonly usage?: Units | undefined;
  /** Bytes of text that the gateway added to the request. They are included if tokens must be estimated. */
  readonly addedBytes?: number | undefined;
  /** Reported charges in addition to tokens, such as tool calls. */
  readonly fees?: ReportedExtraUsage | undefined;
  /** Returns the text that the model wrote. Its tokens are counted if the vendor reports no usage. */
  text?(): string;
  /** Failure that the client gets in place of `body`, although it pays for the answer. */
  readonly failure?: Failure | undefined;
}

/** An answer that the vendor has begun and that needs further requests. */
export interface StartedTask {
  /** Usage, if the vendor has already reported it. */
  readonly usage?: Units | undefined;
  /** Task at the vendor, which is cancelled if the client disconnects. Absent if it cannot be cancelled. */
  readonly run?: Pick<VendorRun, "id" | "hasEnded" | "usageOf"> | undefined;
  /** Waits for the complete answer. Rejects with Failure if the task fails or the client disconnects. */
  finish(vendor: VendorLink): Promise<CompleteAnswer>;
}

/** Sends further requests of the same call to the vendor that answered. */
export interface VendorLink {
  poll(task: string): Promise<Buffer>;
  /** Returns the vendor's complete answer. */
  send(body: Buffer): Promise<UpstreamHead & { readonly bytes: Buffer }>;
  readonly origin: string;
  readonly proxy: string | undefined;
  /** Aborted when no further request may be sent, usually because the client has disconnected. */
  readonly signal: AbortSignal;
}
