/** Something that was said, and when: seconds from the file's begin. */
export interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A vendor's transcript. */
export interface Transcript {
  readonly text: string;
  /** Undefined where the vendor gave no times. */
  readonly segments: readonly Segment[] | undefined;
  /** Single words, where the vendor gave their times. */
  readonly words?: readonly Segment[] | undefined;
  /** As the vendor names it. */
  readonly language?: string | undefined;
  /** Seconds of sound that it heard. */
  readonly duration?: number | undefined;
}

/** What an event of a streamed transcript says. */
export type TranscriptEvent =
  | { readonly kind: "delta"; readonly text: string }
  | { readonly kind: "done"; readonly body: { readonly [name: string]: unknown } }
  | { readonly kind: "error" }
  | { readonly kind: "other" };
