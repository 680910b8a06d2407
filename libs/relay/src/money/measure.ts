import type { Outcome, Price, UnitName, Units } from "@modelgate/contracts";
import type { CatalogModel } from "@modelgate/catalog";

/** Bound of a call's cost, and its usage: the tokens of a text, or a measure of its own. */
export type CallCost = TextCost | MeasuredCost;

/** The cost of a text, by the tokens of the request and its answer. */
export interface TextCost {
  readonly by: "text";
  readonly size: RequestSize;
  /** The client's body, untouched: its text is counted where the vendor reports no usage. */
  readonly body: Buffer;
  /** True if the answer is a stream: its hold grows with it, in steps. */
  readonly stream: boolean;
  /** True if output may be billed that a stream does not show: it is held for whole before it begins. */
  readonly billsUnseen?: boolean | undefined;
}

/** The cost of what does not hang on text alone: speech by its characters, audio by its seconds, images by their number. */
export interface MeasuredCost {
  readonly by: "measure";
  readonly measure: Measure;
}

/** Usage of a call, and whether it had to be estimated. */
export interface Metered {
  readonly units: Units;
  readonly estimated: boolean;
  /** Units of which more was reported or written than the call could use. */
  readonly capped?: readonly UnitName[] | undefined;
}

/**
 * The most that one call can have used, in tokens, images, seconds and so on. What a vendor reports beyond it is not
 * billed. A bound is chosen so that no honest report reaches it, and so that no report can empty an account.
 */
export interface UsageBound {
  /** Input tokens of all kinds together. */
  readonly inputTokens: number;
  /** Output tokens of all kinds together, except those of `extraTokens`. */
  readonly outputTokens: number;
  /** Further tokens that are allowed where the vendor reports them as thoughts, sound or images: some bound text only. */
  readonly extraTokens: number;
  readonly images: number;
  readonly seconds: number;
  readonly characters: number;
  /** Calls, or search units of a reranker. */
  readonly requests: number;
  /** Every other unit, each on its own: calls of a vendor's tools. */
  readonly others: number;
}

/** Measure of a call whose cost does not hang on text alone. */
export interface Measure {
  /** The most that it may use: what is held. */
  readonly upper: Units;
  /** Usage that is certain once it is sent: charged where the service dies, or the client leaves before the answer. */
  readonly floor: Units;
  /** Returns the usage that is certain where the client left and the vendor was not read to its end; absent: `floor`. */
  left?(): Promise<Units>;
  /** The most that can be billed, whatever the vendor reports; what is absent follows from `upper`. */
  readonly most?: Partial<UsageBound> | undefined;
  /**
   * Meters what it used. `reported` is the vendor's report, undefined for none; `words` counts the tokens that the model
   * wrote, as far as the exchange shows them; `outcome` is how the call ended, whole where it is absent.
   */
  meter(reported: Units | undefined, words: () => Promise<number>, outcome?: Outcome): Promise<Metered>;
}

/** Size of a request. */
export interface RequestSize {
  /** Bytes of the body that are text to the model. */
  readonly textBytes: number;
  /** Bytes of text that some vendors are sent in addition: held for, and counted only where they were sent. */
  readonly addedBytes?: number | undefined;
  /** Bound of the input tokens of images, files and audio. */
  readonly mediaTokens: number;
  /** Maximum output tokens, where the client set a bound. */
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  /** True if the bound is the gateway's own, which is not sent to vendors: it is held for, and does not cap what is billed. */
  readonly boundIsOurs?: boolean | undefined;
  /**
   * Output tokens of each answer, which the vendor is sent as their bound since no more can be paid for; `maxOutputTokens` is
   * that of all answers. Absent: the bound is the client's, or there is none.
   */
  readonly paidOutputTokens?: number | undefined;
  /** True if the vendor may read more than the body holds: results of its own tools, or what it keeps. */
  readonly readsBeyond?: boolean;
  /** Charges beside the tokens of the request and its answer. */
  readonly fees?: HeldFees | undefined;
}

/** Money held for vendor-side tools and service tiers. */
export interface HeldFees {
  /** Calls of tools. */
  readonly units: Units;
  /** Input tokens that tools may add, and images at their own size. */
  readonly inputTokens: number;
  /** Price of the most expensive service tier that may serve the call. */
  readonly price: Price;
}

/** Most output of a call's answers together: by the client or by the catalogue; Infinity where neither sets a bound. */
export function maxOutput({ maxOutputTokens = Infinity, choices }: RequestSize, model: CatalogModel): number {
  return Math.min(maxOutputTokens, (model.maxOutputTokens ?? Infinity) * choices);
}
