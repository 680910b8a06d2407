import type { CallStatus, Nanos, Price, UnitName, Units } from "@modelgate/contracts";

/** Limits and metering of a call's cost: by the tokens of a text, by another measure, or by its job. */
export type CallCost = TextCost | MeasuredCost | JobCost;

/** Cost of a text call. */
export interface TextCost {
  readonly by: "text";
  readonly size: RequestSize;
  /** The client's body. Its tokens are counted if the vendor reports no usage. */
  readonly body: Buffer;
  /** True if the answer is a stream, whose hold is extended in steps. */
  readonly stream: boolean;
  /** True if the vendor may bill output that a stream does not show. The hold then covers the maximum output. */
  readonly billsHiddenOutput?: boolean | undefined;
}

/** Cost by characters, seconds, images or similar. */
export interface MeasuredCost {
  readonly by: "measure";
  readonly measure: Measure;
}

/** Cost of a job, which is charged when the job has ended. */
export interface JobCost {
  readonly by: "job";
  /** Maximum cost over all vendors that may receive the job. */
  readonly upperNanos: Nanos;
}

/** Usage to bill for a call. */
export interface Metered {
  readonly units: Units;
  readonly estimated: boolean;
  /** Units that were reduced because their report was implausible. */
  readonly capped?: readonly UnitName[] | undefined;
}

/**
 * Maximum usage of one call that is billed. No correct report reaches these limits; a wrong one cannot empty an
 * account.
 */
export interface UsageBound {
  readonly inputTokens: number;
  /** Maximum output tokens, without those of `extraTokens`. */
  readonly outputTokens: number;
  /** Additional output tokens of reasoning, audio or images, to which some vendors do not apply the output limit. */
  readonly extraTokens: number;
  readonly images: number;
  readonly seconds: number;
  readonly characters: number;
  /** Maximum requests, or search units of a reranker. */
  readonly requests: number;
  /** Maximum of each other unit (calls of a vendor-side tool). */
  readonly others: number;
}

/** Measure of a call whose cost does not depend on text alone. */
export interface Measure {
  /** Usage for which money is held. */
  readonly upper: Units;
  /** Usage that is certain once the call is sent. It is charged if the service dies or the client disconnects. */
  readonly floor: Units;
  /** Returns the usage to charge if the client disconnected before the end of the answer. Default: `floor`. */
  usageAfterDisconnect?(): Promise<Units>;
  /** Maximum usage that is billed. Missing members follow from `upper`. */
  readonly bound?: Partial<UsageBound> | undefined;
  /**
   * Returns the usage to bill. `reported` is the vendor's report, if any. `countText` counts the tokens of the text
   * that the model wrote.
   */
  meter(reported: Units | undefined, countText: () => Promise<number>, callStatus?: CallStatus): Promise<Metered>;
}

/** Size of a text request, and other values on which its cost depends. */
export interface RequestSize {
  /** Bytes of the body that the model reads as text. */
  readonly textBytes: number;
  /** Bytes of text that the gateway adds for some vendors. They are billed only if they were sent. */
  readonly addedBytes?: number | undefined;
  readonly mediaTokens: number;
  /** Maximum output tokens of all answers together. */
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  /**
   * True if `maxOutputTokens` only determines the hold, because it is not sent to vendors and does not limit the bill.
   */
  readonly isHoldOnlyBound?: boolean | undefined;
  /** Output limit per answer that is sent because the caller's money does not cover more. */
  readonly affordableOutputTokens?: number | undefined;
  /** True if the vendor may read more than the body, such as stored content. */
  readonly readsHiddenInput?: boolean;
  readonly fees?: MaxFees | undefined;
}

/** Maximum charges that vendor-side tools and service tiers can add to a text call. Money is held for them. */
export interface MaxFees {
  /** Maximum calls of vendor-side tools. */
  readonly units: Units;
  /** Maximum input tokens that tools and images in original size may add. */
  readonly inputTokens: number;
  /** Maximum calls of models that read the whole request again. */
  readonly rereads?: number | undefined;
  /** Price of the most expensive service tier that may serve the call. */
  readonly price: Price;
}
