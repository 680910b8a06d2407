import type { WithUsage } from "../../wire.ts";
import { type AdditionalMembers, countTextBytes, type InputSize } from "../../kind/index.ts";
import { mediaOf, measureTypedPart } from "../../text/params.ts";
import { Failure } from "@modelgate/contracts";

export const maxItems = 2_048;
export const maxParts = 256;

/** A part of the judged content. An image's URL may be a `data:` URL. */
export type ModerationPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly url: string };

/** Parts that are judged together and get one result. */
export interface ModerationItem {
  readonly parts: readonly ModerationPart[];
}

/** A moderation request in the neutral form: many items of one text, or one item of many parts. */
export interface ModerationRequest {
  readonly model: string;
  readonly items: readonly ModerationItem[];
  readonly own?: AdditionalMembers<"moderations"> | undefined;
}

/** Measures a request. The output is not limited: only the model that judges determines its length. */
export function measureInput({ items }: ModerationRequest): InputSize {
  const parts = items.flatMap((item) => item.parts);
  const images = parts.flatMap((part) =>
    part.kind === "image" ? [{ type: "image_url", image_url: { url: part.url } }] : [],
  );
  return {
    textBytes: countTextBytes(parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))),
    mediaTokens: mediaOf([images], measureTypedPart).tokens,
    maxOutputTokens: undefined,
  };
}

/** Result of one item, with category names of POST /v1/moderations. */
export interface ModerationResult {
  readonly flagged: boolean;
  /** Flags by category; null if the model does not support the category. */
  readonly categories: Readonly<Record<string, boolean | null>>;
  /** Scores by category, from 0 to 1. */
  readonly scores: Readonly<Record<string, number>>;
  /** Kinds of parts that each score is about; absent if the vendor does not report them. */
  readonly appliedInputTypes?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface ModerationAnswer extends WithUsage {
  /** Vendor's id; "" if it sent none. */
  readonly id: string;
  readonly results: readonly ModerationResult[];
}

/** Returns the results, one per item. Throws Failure upstream_error for another number of results. */
export function requireResultCount(
  { items: { length } }: ModerationRequest,
  results: readonly ModerationResult[],
): readonly ModerationResult[] {
  if (results.length === length) return results;
  throw new Failure("upstream_error", `The vendor judged ${results.length} of ${length} inputs.`);
}
