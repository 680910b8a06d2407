import type { CallStatus, Nanos, Price, UnitName, Units } from "@modelgate/contracts";

/**
 * Limits of a call's cost and how its usage is metered: by the tokens of a text, by another measure, or later by its
 * job.
 */
export type CallCost = TextCost | MeasuredCost | JobCost;

/** Cost of a text call, which depends on the tokens of the request and the answer. */
export interface TextCost {
  readonly by: "text";
  readonly size: RequestSize;
  /** The client's unchanged body. Its tokens are counted if the vendor reports no usage. */
  readonly body: Buffer;
  /** True if the answer is a stream, whose hold is extended in steps. */
  readonly stream: boolean;
  /**
   * True if the vendor may bill output that a stream does not show. Money for the maximum output is then held at the
   * start.
   */
  readonly billsHiddenOutput?: boolean | undefined;
}

/** Cost that does not depend on text alone, such as speech by characters, audio by seconds, or images by number. */
export interface MeasuredCost {
  readonly by: "measure";
  readonly measure: Measure;
}

/** Cost of a job, which is charged when the job has ended. A job that could not be stored costs nothing. */
export interface JobCost {
  readonly by: "job";
  /** Maximum cost over all vendors that may receive the job. */
  readonly upperNanos: Nanos;
}

/** Usage to bill for a call. */
export interface Metered {
  readonly units: Units;
  readonly estimated: boolean;
  /** Units that were reduced because more was reported or written than the call can have used. */
  readonly capped?: readonly UnitName[] | undefined;
}

/**
 * Maximum usage of one call that is billed. The limits are so high that no correct report reaches them, and so low that
 * a wrong report cannot empty an account.
 */
export interface UsageBound {
  /** Maximum input tokens of all kinds together. */
  readonly inputTokens: number;
  /** Maximum output tokens of all kinds together, without those of `extraTokens`. */
  readonly outputTokens: number;
  /**
   * Additional output tokens that may be billed if the vendor reports them as reasoning, audio or images, because the
   * output limit of some vendors applies to text only.
   */
  readonly extraTokens: number;
  readonly images: number;
  readonly seconds: number;
  readonly characters: number;
  /** Maximum requests, or search units of a reranker. */
  readonly requests: number;
  /** Maximum of each remaining unit. These units count calls of vendor-side tools. */
  readonly others: number;
}

/** Measure of a call whose cost does not depend on text alone. */
export interface Measure {
  /** Maximum usage, for which money is held. */
  readonly upper: Units;
  /**
   * Usage that is certain once the call is sent. It is charged if the service dies, or if the client disconnects before
   * the answer.
   */
  readonly floor: Units;
  /** Returns the usage to charge if the client disconnected and the answer was not read to its end; absent: `floor`. */
  usageAfterDisconnect?(): Promise<Units>;
  /** Maximum usage that is billed. Absent members are derived from `upper`. */
  readonly bound?: Partial<UsageBound> | undefined;
  /**
   * Returns the usage to bill. `reported` is the vendor's report; undefined if there is none. `countText` counts the
   * tokens of the text that the model wrote; 0 if the answer has no text. `ended` is the call's status; absent:
   * completed.
   */
  meter(reported: Units | undefined, countText: () => Promise<number>, ended?: CallStatus): Promise<Metered>;
}

/** Size of a text request, and other values on which its cost depends. */
export interface RequestSize {
  /** Bytes of the body that the model reads as text. */
  readonly textBytes: number;
  /**
   * Bytes of text that the gateway adds for some vendors. Money is held for them; they are billed only if they were
   * sent.
   */
  readonly addedBytes?: number | undefined;
  /** Maximum input tokens of images, files and audio. */
  readonly mediaTokens: number;
  /** Maximum output tokens of all answers together; undefined if there is no limit. */
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  /**
   * True if the gateway set `maxOutputTokens` without sending it to vendors. The limit then determines the hold, but
   * does not limit the bill.
   */
  readonly isHoldOnlyBound?: boolean | undefined;
  /**
   * Output limit per answer that is sent to the vendor because the caller's money covers no more. Absent: the limit is
   * the client's, or there is none.
   */
  readonly affordableOutputTokens?: number | undefined;
  /** True if the vendor may read more than the body, such as results of its tools or stored content. */
  readonly readsHiddenInput?: boolean;
  /** Charges other than the tokens of request and answer. */
  readonly fees?: MaxFees | undefined;
}

/** Charges other than tokens for which money is held. */
export interface MaxFees {
  /** Maximum calls of vendor-side tools. */
  readonly units: Units;
  /** Maximum input tokens that tools and images in their original size may add. */
  readonly inputTokens: number;
  /** Price of the most expensive service tier that may serve the call. */
  readonly price: Price;
}
