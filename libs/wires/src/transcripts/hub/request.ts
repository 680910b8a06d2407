import type { TranscriptsWire } from "@modelgate/contracts";
/** What a client may be answered in. */
export const transcriptFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** What gets its times in verbose_json. */
export const granularities = ["word", "segment"] as const;
export type Granularity = (typeof granularities)[number];

/** A text field of a form. */
export type FormEntry = readonly [name: string, value: string];

/** A request for a transcript in the neutral form; its file travels beside it. */
export interface TranscriptsRequest {
  readonly wire: TranscriptsWire;
  readonly model: string;
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly format: TranscriptFormat;
  readonly temperature?: number | undefined;
  readonly granularities: readonly Granularity[];
  readonly stream: boolean;
  /** Fields that are not read here; they travel on as they are. */
  readonly own: readonly FormEntry[];
}
