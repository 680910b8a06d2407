import type { CallStatus, Nanos, Price, UnitName, Units } from "@modelgate/contracts";

/** Limits and metering of a call's cost: by the tokens of a text, by another measure, or a job's. */
export type CallCost = TextCost | MeasuredCost | JobCost;

/** Cost of a text, by the tokens of the request and its answer. */
export interface TextCost {
  readonly by: "text";
  readonly size: RequestSize;
  /** The client's unchanged body; its tokens are counted if the vendor reports no usage. */
  readonly body: Buffer;
  /** True if the answer is a stream: its hold is extended in steps. */
  readonly stream: boolean;
  /** True if the vendor may bill output that a stream does not show. Its maximum cost is then held before it begins. */
  readonly billsUnseen?: boolean | undefined;
}

/** Cost that does not depend on text alone: speech by characters, audio by seconds, images by number. */
export interface MeasuredCost {
  readonly by: "measure";
  readonly measure: Measure;
}

/** Cost of a job, which is charged when the job has ended: nothing is charged for one that was not stored. */
export interface JobCost {
  readonly by: "job";
  /** Maximum cost over all vendors that may get it. */
  readonly upperNanos: Nanos;
}

/** Usage of a call, and whether it was estimated. */
export interface Metered {
  readonly units: Units;
  readonly estimated: boolean;
  /** Units that were reduced because more was reported or written than the call could use. */
  readonly capped?: readonly UnitName[] | undefined;
}

/**
 * Maximum usage of one call, in tokens, images, seconds and so on. Usage that a vendor reports beyond it is not billed.
 * A limit is so high that no correct report reaches it, and so low that no report can empty an account.
 */
export interface UsageBound {
  /** Input tokens of all kinds together. */
  readonly inputTokens: number;
  /** Output tokens of all kinds together, except those of `extraTokens`. */
  readonly outputTokens: number;
  /**
   * Additional output tokens that may be billed if the vendor reports them as reasoning, audio or images: some vendors'
   * output limit applies to text only.
   */
  readonly extraTokens: number;
  readonly images: number;
  readonly seconds: number;
  readonly characters: number;
  /** Requests, or search units of a reranker. */
  readonly requests: number;
  /** Maximum of each other unit: calls of vendor-side tools. */
  readonly others: number;
}

/** Measure of a call whose cost does not depend on text alone. */
export interface Measure {
  /** Maximum usage, which money is held for. */
  readonly upper: Units;
  /**
   * Usage that is certain once the call is sent: charged if the service dies, or the client disconnects before the
   * answer.
   */
  readonly floor: Units;
  /** Returns the certain usage if the client disconnected and the answer was not read to its end; absent: `floor`. */
  left?(): Promise<Units>;
  /** Maximum usage that is billed regardless of the vendor's report; absent members are derived from `upper`. */
  readonly most?: Partial<UsageBound> | undefined;
  /**
   * Meters the usage. `reported` is the vendor's report, undefined if there is none; `words` counts the tokens of the
   * text that the model wrote, if the exchange shows it; `ended` is the end of the call, absent: completed.
   */
  meter(reported: Units | undefined, words: () => Promise<number>, ended?: CallStatus): Promise<Metered>;
}

/** Size of a request. */
export interface RequestSize {
  /** Bytes of the body that the model reads as text. */
  readonly textBytes: number;
  /**
   * Bytes of text that are added for some vendors: money is held for them, and they are billed only if they were sent.
   */
  readonly addedBytes?: number | undefined;
  /** Maximum input tokens of images, files and audio. */
  readonly mediaTokens: number;
  /** Maximum output tokens, if the client set a limit. */
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  /**
   * True if the gateway set the limit and does not send it to vendors: it determines the hold, and does not limit the
   * bill.
   */
  readonly boundIsOurs?: boolean | undefined;
  /**
   * Output limit of each answer that is sent to the vendor because no more can be paid for; `maxOutputTokens` is the
   * limit of all answers together. Absent: the limit is the client's, or there is none.
   */
  readonly paidOutputTokens?: number | undefined;
  /** True if the vendor may read more than the body: results of its tools, or stored content. */
  readonly readsBeyond?: boolean;
  /** Charges other than the tokens of the request and its answer. */
  readonly fees?: HeldFees | undefined;
}

/** Money held for vendor-side tools and service tiers. */
export interface HeldFees {
  /** Calls of tools. */
  readonly units: Units;
  /** Input tokens that tools and images in their original size may add. */
  readonly inputTokens: number;
  /** Price of the most expensive service tier that may serve the call. */
  readonly price: Price;
}
