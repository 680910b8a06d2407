import type { WithUsage } from "../../wire.ts";
import { type AdditionalMembers, countTextBytes, type InputSize } from "../../kind/index.ts";
import { mediaOf, measureTypedPart } from "../../text/params.ts";
import { Failure } from "@modelgate/contracts";

export const maxItems = 2_048;
export const maxParts = 256;

/** Part of the judged content. The URL may be a `data:` URL. */
export type ModerationPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly url: string };

/** Parts that are judged together and get one result. */
export interface ModerationItem {
  readonly parts: readonly ModerationPart[];
}

/** A moderation request in the neutral form. */
export interface ModerationRequest {
  readonly model: string;
  readonly items: readonly ModerationItem[];
  readonly additional?: AdditionalMembers<"moderations"> | undefined;
}

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

/** Result of one item. The categories have OpenAI's names. */
export interface ModerationResult {
  readonly flagged: boolean;
  /** Null for a category that the model lacks. */
  readonly categories: Readonly<Record<string, boolean | null>>;
  /** Scores by category, from 0 to 1. */
  readonly scores: Readonly<Record<string, number>>;
  /** Types of the parts that determined each score. */
  readonly appliedInputTypes?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface ModerationAnswer extends WithUsage {
  /** "" if the vendor sent none. */
  readonly id: string;
  readonly results: readonly ModerationResult[];
}

/** Returns the results. Throws Failure upstream_error unless there is one for each item. */
export function requireResultCount(
  { items: { length } }: ModerationRequest,
  results: readonly ModerationResult[],
): readonly ModerationResult[] {
  if (results.length === length) return results;
  throw new Failure("upstream_error", `The vendor judged ${results.length} of ${length} inputs.`);
}
