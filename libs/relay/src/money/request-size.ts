import type { Price, Units } from "@modelgate/contracts";
import type { CatalogModel } from "@modelgate/catalog";

/** What a request says of its own size. */
export interface RequestSize {
  /** Bytes of the body that are text to the model. */
  readonly textBytes: number;
  /** Bound of the input tokens of images, files and audio. */
  readonly mediaTokens: number;
  /** Most output tokens, where the client set a bound. */
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  /** Whether the bound is the gateway's own, which is not sent to vendors: it is held for, and does not cap what is billed. */
  readonly boundIsOurs?: boolean | undefined;
  /** Whether the vendor may read more than the body holds: results of its own tools, or what it keeps. */
  readonly readsBeyond?: boolean;
  /** What may be charged beside the tokens of the request and its answer. */
  readonly fees?: HeldFees | undefined;
}

/** What is put aside for vendor-side tools and service tiers. */
export interface HeldFees {
  /** Calls of tools. */
  readonly units: Units;
  /** Input tokens that tools may add, and images at their own size. */
  readonly inputTokens: number;
  /** The price of the dearest service tier that may serve the call. */
  readonly price: Price;
}

/** Most output of a call's answers together: by the client or by the catalogue; Infinity where neither says. */
export function mostOutput({ maxOutputTokens = Infinity, choices }: RequestSize, model: CatalogModel): number {
  return Math.min(maxOutputTokens, (model.maxOutputTokens ?? Infinity) * choices);
}
