import type { TranscriptsWire } from "@modelgate/contracts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";

/** Formats of answers. */
export const transcriptFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** Parts that get times in verbose_json. */
export const granularities = ["word", "segment"] as const;
export type Granularity = (typeof granularities)[number];

/** A text field of a form. */
export type FormEntry = readonly [name: string, value: string];

/** A request for a transcript in the neutral form, without its file. */
export interface TranscriptsRequest {
  readonly wire: TranscriptsWire;
  readonly model: string;
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly format: TranscriptFormat;
  readonly temperature?: number | undefined;
  readonly granularities: readonly Granularity[];
  readonly stream: boolean;
  /** Fields that are not read here; they are passed on unchanged. */
  readonly own: readonly FormEntry[];
}

/** Fields of a request that a vendor may lack, as clients spell them. */
type Hint = "language" | "prompt" | "temperature";

/** Returns the hints of a request that a vendor's wire lacks, its own fields among them. */
export function lostHints(request: TranscriptsRequest, has: readonly Hint[]): readonly string[] {
  const hints = (["language", "prompt", "temperature"] as const).filter(
    (name) => !has.includes(name) && request[name] !== undefined,
  );
  return [...hints, ...request.own.map(([name]) => name)];
}

/** Refuses formats that cannot be made of a vendor's answer. Throws Failure unsupported_parameter. */
export function refuseFormats({ format }: TranscriptsRequest, formats: readonly TranscriptFormat[]): void {
  if (formats.includes(format))
    throw unsupportedFailure("response_format", `The vendor of this model cannot be answered in ${format}.`);
}
