import { type OwnMembers, bytesOfTexts, type InputSize } from "../../kind/index.ts";
import { mediaOf, measureTypedPart } from "../../text/media.ts";
import { Failure, type Units } from "@modelgate/contracts";

/** Maximum number of texts in one request: beyond it 400. */
export const maxItems = 2_048;
/** Maximum number of parts of one item: beyond it 400. */
export const maxParts = 256;

/** A piece of the judged content. The URL of an image may be a `data:` URL. */
export type ModerationPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly url: string };

/** Parts that are judged together and get one result. */
export interface ModerationItem {
  readonly parts: readonly ModerationPart[];
}

/** A request to judge texts and images, in the neutral form. Either many items of one text, or one item of many parts. */
export interface ModerationRequest {
  readonly model: string;
  /** At least one, at most `maxItems`. */
  readonly items: readonly ModerationItem[];
  readonly own?: OwnMembers<"moderations"> | undefined;
}

/** Measures a request. Its output is bounded by the model that judges. */
export function sizeOf({ items }: ModerationRequest): InputSize {
  const parts = items.flatMap((item) => item.parts);
  const images = parts.flatMap((part) =>
    part.kind === "image" ? [{ type: "image_url", image_url: { url: part.url } }] : [],
  );
  return {
    textBytes: bytesOfTexts(parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))),
    mediaTokens: mediaOf([images], measureTypedPart).tokens,
    maxOutputTokens: undefined,
  };
}

/** The result of one item. Names of categories are those of POST /v1/moderations. */
export interface ModerationResult {
  readonly flagged: boolean;
  /** null: the model does not know the category. */
  readonly categories: Readonly<Record<string, boolean | null>>;
  /** From 0 to 1. */
  readonly scores: Readonly<Record<string, number>>;
  /** Kinds of parts that each score is about; absent where the vendor gives none. */
  readonly appliedInputTypes?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Results in the order of the items. */
export interface ModerationAnswer {
  /** "" where the vendor gave none. */
  readonly id: string;
  readonly results: readonly ModerationResult[];
  /** Absent where the vendor reported none, which is usual. */
  readonly usage?: Units | undefined;
}

/** Returns the results, one per item. Throws Failure upstream_error where there are more or fewer. */
export function resultsFor(
  { items: { length } }: ModerationRequest,
  results: readonly ModerationResult[],
): readonly ModerationResult[] {
  if (results.length === length) return results;
  throw new Failure("upstream_error", `The vendor judged ${results.length} of ${length} inputs.`);
}
