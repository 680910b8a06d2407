import type { OwnMembers } from "../../kind/own-members.ts";

/** The wires of moderation: one folder each. */
export type ModerationWire = "moderations";

/** Texts that one request may have: beyond it 400. */
export const mostItems = 2_048;
/** Parts that one item may have: beyond it 400. */
export const mostParts = 256;

/** A piece of what is judged. An image is where its URL says, which may be a `data:` URL. */
export type ModerationPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly url: string };

/** What is judged as one, and gets one result. */
export interface ModerationItem {
  readonly parts: readonly ModerationPart[];
}

/** A request to judge texts and images, in the neutral form. Either many items of one text, or one item of many parts. */
export interface ModerationRequest {
  readonly model: string;
  /** At least one, at most `mostItems`. */
  readonly items: readonly ModerationItem[];
  readonly own?: OwnMembers<ModerationWire> | undefined;
}
