import type { TranscriptsWire, Units } from "@modelgate/contracts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import type { Fields, JsonRecord } from "../../json/fields.ts";
import type { Frame } from "../../sse/framing.ts";
import type { ClientSide, Target } from "../../wire.ts";

/** Formats of answers. */
export const transcriptFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** Parts that get times in verbose_json. */
export const granularities = ["word", "segment"] as const;
export type Granularity = (typeof granularities)[number];

/** A text field of a form. */
export type FormEntry = readonly [name: string, value: string];

/** Returns the entry of a form for a value, if there is one. */
export function formEntry(name: string, value: string | number | undefined): readonly FormEntry[] {
  return value === undefined ? [] : [[name, String(value)]];
}

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

/** A spoken part with its times: seconds from the beginning of the file. */
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
  /** The vendor's name of it. */
  readonly language?: string | undefined;
  /** Seconds of sound, as the vendor counts them. */
  readonly duration?: number | undefined;
}

/** An event of a streamed transcript. */
export type TranscriptEvent =
  | { readonly kind: "delta"; readonly text: string }
  | { readonly kind: "done"; readonly body: { readonly [name: string]: unknown } }
  | { readonly kind: "error" }
  | { readonly kind: "other" };

/** A request and its file for a vendor. */
export type RenderedTranscripts = {
  /** Hints left out: fields of the neutral form, or the client's own. */
  readonly dropped: readonly string[];
} & (
  | { readonly kind: "form"; readonly model: FormEntry; readonly entries: readonly FormEntry[] }
  /** The body is the file; the address holds all else. */
  | { readonly kind: "bytes"; readonly query: Readonly<Record<string, string>> }
  /** The file is in JSON. */
  | { readonly kind: "json"; readonly maxBytes: number; body(file: Base64File): JsonRecord }
);

/** A file in Base64. */
export interface Base64File {
  readonly mediaType: string;
  readonly data: string;
}

/** The vendor side of a wire of transcripts. Requests want JSON or a stream; other formats are made of it. */
export interface TranscriptsVendor {
  /** Throws Failure unsupported_parameter for a format that cannot be made of the vendor's answer. */
  render(request: TranscriptsRequest, target: Target): RenderedTranscripts;
  /** Throws Failure upstream_error for any other body. */
  parse(body: JsonRecord): Transcript;
  /** Reads the reported usage: tokens, or seconds of sound. Returns undefined where the vendor reports neither. */
  usage(body: JsonRecord): Units | undefined;
  /** Reads a frame of a stream; absent: the vendor sends none. Throws Failure upstream_error for an unreadable one. */
  event?(frame: Frame): TranscriptEvent;
}

/** The call that a transcript is rendered for. */
export interface TranscriptContext {
  readonly request: TranscriptsRequest;
  readonly usage: Units | undefined;
}

/** The client side of a wire of transcripts. */
export interface TranscriptsClient extends Pick<
  ClientSide<TranscriptsRequest, Transcript, TranscriptContext>,
  "render"
> {
  /** Parses the fields of a form. Throws Failure (400) naming the field that is wrong. */
  read(entries: readonly FormEntry[]): TranscriptsRequest;
  /** Renders an answer in JSON as the whole stream that the client wants. */
  events(body: JsonRecord): string;
}

/** Maximum number of words of an answer: a day of speech. */
export const maxWords = 500_000;

/** Reads the times of a spoken part. */
export function segmentOf(fields: Fields, text: string): Segment {
  return { text, start: fields.number("start") ?? 0, end: fields.number("end") ?? 0 };
}

/** The end of a sentence ends a segment, and so does its maximum length. */
const endOfSentence = /[.!?…。！？]["'”’)]*$/;
const maxSegmentSeconds = 12;

/** Joins words to segments, for vendors that give times of words alone. */
export function segmentsOfWords(words: readonly Segment[]): readonly Segment[] {
  const segments: Segment[] = [];
  let open: Segment[] = [];
  const close = (): void => {
    const [first, last] = [open[0], open.at(-1)];
    if (first !== undefined && last !== undefined)
      segments.push({ text: open.map(({ text }) => text).join(" "), start: first.start, end: last.end });
    open = [];
  };
  for (const word of words) {
    open.push(word);
    if (endOfSentence.test(word.text) || word.end - (open[0]?.start ?? 0) >= maxSegmentSeconds) close();
  }
  close();
  return segments;
}
