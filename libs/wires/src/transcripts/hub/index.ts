import { Failure, withoutUndefined, type TranscriptsWire, type Units } from "@modelgate/contracts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Fields, JsonRecord } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import type { WithUsage, ClientSide, Rendered, VendorSide } from "../../wire.ts";

export const transcriptFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** Parts of a transcript that may have times in verbose_json. */
export const granularities = ["word", "segment"] as const;
export type Granularity = (typeof granularities)[number];

export type FormEntry = readonly [name: string, value: string];

export function formEntry(name: string, value: string | number | undefined): readonly FormEntry[] {
  return value === undefined ? [] : [[name, String(value)]];
}

export interface TranscriptsRequest {
  readonly wire: TranscriptsWire;
  readonly model: string;
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly format: TranscriptFormat;
  readonly temperature?: number | undefined;
  readonly granularities: readonly Granularity[];
  readonly stream: boolean;
  /** Other fields of the form, which are sent to vendors of the same wire. */
  readonly additional: readonly FormEntry[];
}

type HintField = "language" | "prompt" | "temperature";

/** Returns the optional fields that the request sets and the vendor's wire lacks. */
export function unsupportedFieldNames(request: TranscriptsRequest, has: readonly HintField[]): readonly string[] {
  const unsupported = (["language", "prompt", "temperature"] as const).filter(
    (name) => !has.includes(name) && request[name] !== undefined,
  );
  return [...unsupported, ...request.additional.map(([name]) => name)];
}

export function refuseFormats({ format }: TranscriptsRequest, formats: readonly TranscriptFormat[]): void {
  if (formats.includes(format))
    throw unsupportedFailure("response_format", `The vendor's answer cannot be converted to ${format}.`);
}

/** A part of the speech, with times in seconds. */
interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A vendor's transcript. Its usage is in tokens or in seconds. */
export interface Transcript extends WithUsage {
  readonly text: string;
  readonly segments: readonly Segment[] | undefined;
  readonly words?: readonly Segment[] | undefined;
  /** Vendor's name of the language. */
  readonly language?: string | undefined;
  /** Length of the audio in seconds, as the vendor reports it. */
  readonly duration?: number | undefined;
}

export type TranscriptEvent = (
  | { readonly kind: "delta"; readonly text: string }
  | { readonly kind: "done"; readonly body: { readonly [name: string]: unknown } }
  | { readonly kind: "error" }
  | { readonly kind: "other" }
) & {
  /** Text that the client gets in place of the vendor's event. */
  readonly rendered?: string;
};

/** A rendered request, and the form in which the file is sent. */
export type RenderedTranscripts = Omit<Rendered, "body"> &
  (
    | { readonly kind: "form"; readonly model: FormEntry; readonly entries: readonly FormEntry[] }
    /** The file is the body. */
    | { readonly kind: "bytes"; readonly query: Readonly<Record<string, string>> }
    | { readonly kind: "json"; readonly maxBytes: number; bodyOf(file: Base64File): JsonRecord }
  );

export interface Base64File {
  readonly mediaType: string;
  readonly data: string;
}

/** Vendor side of a transcripts wire. The gateway renders all formats other than JSON from the vendor's JSON. */
export interface TranscriptsVendor extends VendorSide<TranscriptsRequest, Transcript, RenderedTranscripts> {
  /** Returns true if the fields that a model supports depend on other fields. */
  needsCompleteForm?(model: string): boolean;
  parse(body: JsonRecord): Transcript;
  stream?(): { read(frame: Frame): TranscriptEvent };
}

export interface TranscriptsClient extends Pick<
  ClientSide<TranscriptsRequest, Transcript, TranscriptsRequest>,
  "render"
> {
  read(entries: readonly FormEntry[]): TranscriptsRequest;
  /** Renders the JSON of an answer as a stream. */
  renderStream(body: JsonRecord): string;
}

/** Maximum number of words in an answer, enough for a day of speech. */
export const maxWords = 500_000;

export function segmentOf(fields: Fields, text: string): Segment {
  return { text, start: fields.number("start") ?? 0, end: fields.number("end") ?? 0 };
}

/** Matches a word that ends a sentence, and therefore a segment. */
const endOfSentence = /[.!?…。！？]["'”’)]*$/;
const maxSegmentSeconds = 12;

/** Joins words into segments. */
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

export function renderTranscriptJson(
  { text, segments = [], words, language, duration, usage }: Transcript,
  { format, granularities, language: requested = "" }: TranscriptsRequest,
): JsonRecord {
  const reported = renderUsage(usage);
  if (format !== "verbose_json") return withoutUndefined({ text, usage: reported });
  const wants = (granularity: "word" | "segment"): boolean => granularities.includes(granularity);
  return withoutUndefined({
    task: "transcribe",
    language: language ?? requested,
    duration: duration ?? segments.at(-1)?.end ?? 0,
    text,
    segments:
      wants("word") && !wants("segment")
        ? undefined
        : segments.map(({ text, start, end }, id) => ({ id, start, end, text })),
    words: wants("word") ? (words ?? []).map(({ text: word, start, end }) => ({ word, start, end })) : undefined,
    usage: reported,
  });
}

export function renderUsage(usage: Units | undefined): JsonRecord | undefined {
  if (usage === undefined) return undefined;
  const { seconds, inputTokens = 0, inputAudioTokens = 0, outputTokens = 0 } = usage;
  if (seconds !== undefined) return { type: "duration", seconds: Math.ceil(seconds) };
  const input = inputTokens + inputAudioTokens;
  return {
    type: "tokens",
    input_tokens: input,
    input_token_details: { text_tokens: inputTokens, audio_tokens: inputAudioTokens },
    output_tokens: outputTokens,
    total_tokens: input + outputTokens,
  };
}

export function renderText({ text }: Transcript): string {
  return `${text}\n`;
}

/** Renders SubRip. Throws Failure upstream_error for a transcript without times. */
export function renderSrt(transcript: Transcript): string {
  return segmentsOf(transcript)
    .map((segment, index) => `${index + 1}\n${renderCue(segment, ",")}`)
    .join("");
}

/** Renders WebVTT. Throws Failure upstream_error for a transcript without times. */
export function renderVtt(transcript: Transcript): string {
  return `WEBVTT\n\n${segmentsOf(transcript)
    .map((segment) => renderCue(segment, "."))
    .join("")}`;
}

function segmentsOf({ segments = [], text }: Transcript): readonly Segment[] {
  if (segments.length === 0 && text.trim() !== "")
    throw new Failure("upstream_error", "The vendor reported no timestamps, which subtitles need.");
  return segments;
}

function renderCue({ start, end, text }: Segment, point: "," | "."): string {
  return `${renderTime(start, point)} --> ${renderTime(end, point)}\n${oneLine(text)}\n\n`;
}

/** Joins the lines of a text. In a cue, an empty line would end it, and an arrow would begin another cue. */
function oneLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll("-->", "->");
}

function renderTime(seconds: number, point: "," | "."): string {
  const millis = Math.max(0, Math.round(seconds * 1_000));
  const pad = (value: number, digits = 2): string => String(Math.floor(value)).padStart(digits, "0");
  const clock = [millis / 3_600_000, (millis / 60_000) % 60, (millis / 1_000) % 60].map((value) => pad(value));
  return `${clock.join(":")}${point}${pad(millis % 1_000, 3)}`;
}
