import type { TextWireName } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";

/** Opaque data that only its vendor can read, such as encrypted reasoning. Only vendors of the same wire may get it. */
export interface Signature {
  readonly wire: TextWireName;
  /** Kind of the data, as the wire names it. */
  readonly kind: string;
  readonly value: string;
}

/** Content of a file, or a reference to it. Base64 has no `data:` prefix. */
export type Source =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string | undefined }
  /** An id in a vendor's store. */
  | {
      readonly kind: "file-id";
      readonly wire: TextWireName;
      readonly id: string;
      readonly mediaType?: string | undefined;
    };

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  readonly cache?: CacheHint | undefined;
  readonly citations?: readonly Citation[] | undefined;
  readonly signature?: Signature | undefined;
  readonly logProbabilities?: readonly TokenProbability[] | undefined;
}

/** Source that the model cites. `own` is the complete citation in the form of one wire. */
export interface Citation {
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly citedText?: string | undefined;
  /** Range of the text part that the citation covers, in characters. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly own?: { readonly wire: TextWireName; readonly value: unknown } | undefined;
}

export interface ImagePart {
  readonly kind: "image";
  readonly source: Source;
  readonly detail?: string | undefined;
  readonly cache?: CacheHint | undefined;
  readonly signature?: Signature | undefined;
}

/** A document: PDF or text. Text may be plain (`text`) instead of Base64. */
export interface FilePart {
  readonly kind: "file";
  readonly source: Source | { readonly kind: "text"; readonly text: string };
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly context?: string | undefined;
  readonly citations?: boolean | undefined;
  readonly cache?: CacheHint | undefined;
}

export interface AudioPart {
  readonly kind: "audio";
  readonly source: Source;
}

export interface VideoPart {
  readonly kind: "video";
  readonly source: Source;
}

/** The model's reasoning, or a summary. The text is empty if the vendor sent only a signature. */
export interface ReasoningPart {
  readonly kind: "reasoning";
  readonly text: string;
  readonly summary?: boolean | undefined;
  readonly id?: string | undefined;
  readonly signature?: Signature | undefined;
}

export interface ToolCallPart {
  readonly kind: "tool-call";
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; free text for a custom tool. */
  readonly arguments: string;
  readonly custom?: boolean | undefined;
  readonly signature?: Signature | undefined;
}

export interface ToolResultPart {
  readonly kind: "tool-result";
  readonly callId: string;
  readonly name?: string | undefined;
  readonly parts: readonly (TextPart | ImagePart | FilePart)[];
  readonly isError?: boolean | undefined;
  readonly custom?: boolean | undefined;
  readonly cache?: CacheHint | undefined;
}

export interface RefusalPart {
  readonly kind: "refusal";
  readonly text: string;
  /** Vendor's object about the refusal. If absent, the text is part of the answer. */
  readonly details?: JsonRecord | undefined;
}

/** Earlier turns, compacted and encrypted by the vendor. */
export interface CompactionPart {
  readonly kind: "compaction";
  readonly id?: string | undefined;
  readonly signature: Signature;
}

/**
 * An item or block that only its wire can express, for example a call of a tool that the vendor runs, or the audio of a
 * chat answer.
 */
export interface VendorPart {
  readonly kind: "vendor";
  readonly wire: TextWireName;
  readonly value: unknown;
}

export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | AudioPart
  | VideoPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | RefusalPart
  | CompactionPart
  | VendorPart;

export interface TokenProbability {
  readonly token: string;
  readonly logProbability: number;
  readonly bytes?: readonly number[] | undefined;
  readonly alternatives: readonly {
    readonly token: string;
    readonly logProbability: number;
    readonly bytes?: readonly number[] | undefined;
  }[];
}

/** Cache mark on a part. The vendor may cache the prompt up to it. */
export interface CacheHint {
  readonly lifetime?: "5m" | "1h" | undefined;
  /** True if the mark is rendered as a breakpoint; set by `adaptCacheMarks`. */
  readonly isBreakpoint?: true;
}
