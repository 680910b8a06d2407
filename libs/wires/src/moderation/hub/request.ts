import type { OwnMembers } from "../../kind/own-members.ts";
import { bytesOfTexts, type InputSize } from "../../kind/index.ts";
import { mediaOf, measureTypedPart } from "../../text/media.ts";

/** Maximum of texts in one request: beyond it 400. */
export const maxItems = 2_048;
/** Maximum of parts of one item: beyond it 400. */
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
