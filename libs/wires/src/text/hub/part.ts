import type { TextWireName } from "@modelgate/contracts";

/**
 * Something that only its maker can read: a thinking signature, a thought signature, encrypted reasoning, a
 * compaction. It rides unread and is rendered to its own wire only, never to another vendor.
 */
export interface Seal {
  readonly wire: TextWireName;
  /** The wire's word for it: `signature`, `redacted`, `thoughtSignature`, `encrypted_content`. */
  readonly kind: string;
  readonly value: string;
}

/** Place of a file's bytes. Base64 is without a `data:` prefix. */
export type Source =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string | undefined }
  /** An id in a vendor's own store: it means something on that wire only. */
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
  readonly seal?: Seal | undefined;
  readonly logProbabilities?: readonly TokenProbability[] | undefined;
}

/** Source of a statement, as far as two wires can name it. `own` is the wire's full form, for the same wire. */
export interface Citation {
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly citedText?: string | undefined;
  /** Characters of the text part that the citation covers. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly own?: { readonly wire: TextWireName; readonly value: unknown } | undefined;
}

export interface ImagePart {
  readonly kind: "image";
  readonly source: Source;
  readonly detail?: string | undefined;
  readonly cache?: CacheHint | undefined;
  readonly seal?: Seal | undefined;
}

/** A document: PDF or text. Text may also come as it is (`text`), not as Base64. */
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

/** The model's thoughts, or a summary of them; text may be empty where only the seal was given. */
export interface ReasoningPart {
  readonly kind: "reasoning";
  readonly text: string;
  readonly summary?: boolean | undefined;
  readonly id?: string | undefined;
  readonly seal?: Seal | undefined;
}

export interface ToolCallPart {
  readonly kind: "tool-call";
  /** Pairs the call with its result. */
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments as the model wrote it; for a custom tool its free text. Never re-serialised. */
  readonly arguments: string;
  readonly custom?: boolean | undefined;
  readonly seal?: Seal | undefined;
}

export interface ToolResultPart {
  readonly kind: "tool-result";
  readonly callId: string;
  /** The tool's name, where the wire says it or the call before it did. */
  readonly name?: string | undefined;
  readonly parts: readonly (TextPart | ImagePart | FilePart)[];
  readonly isError?: boolean | undefined;
  readonly custom?: boolean | undefined;
  readonly cache?: CacheHint | undefined;
}

export interface RefusalPart {
  readonly kind: "refusal";
  readonly text: string;
}

/** A conversation's earlier part, sealed by the vendor that compacted it. */
export interface CompactionPart {
  readonly kind: "compaction";
  readonly id?: string | undefined;
  readonly seal: Seal;
}

/** An item or block of a vendor's own tools: it travels to the same wire only. */
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

/** A token's log probability with its alternatives. */
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

/** A mark after which the vendor may cache the prompt. */
export interface CacheHint {
  readonly lifetime?: "5m" | "1h" | undefined;
}
