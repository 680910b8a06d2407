import { Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Segment, Transcript, TranscriptsRequest } from "./index.ts";

/** Renders a transcript as JSON: the text alone, or with times for verbose_json. */
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

function renderUsage(usage: Units | undefined): JsonRecord | undefined {
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

/** Renders SubRip: numbered blocks, times with a comma. Throws Failure upstream_error for a transcript without times. */
export function renderSrt(transcript: Transcript): string {
  return segmentsOf(transcript)
    .map((segment, index) => `${index + 1}\n${cue(segment, ",")}`)
    .join("");
}

/** Renders WebVTT. Throws Failure upstream_error for a transcript without times. */
export function renderVtt(transcript: Transcript): string {
  return `WEBVTT\n\n${segmentsOf(transcript)
    .map((segment) => cue(segment, "."))
    .join("")}`;
}

function segmentsOf({ segments }: Transcript): readonly Segment[] {
  if (segments === undefined)
    throw new Failure("upstream_error", "The vendor reported no timestamps, which subtitles need.");
  return segments;
}

function cue({ start, end, text }: Segment, point: "," | "."): string {
  return `${time(start, point)} --> ${time(end, point)}\n${oneLine(text)}\n\n`;
}

/** Replaces line breaks and arrows: an empty line would end the cue, an arrow would begin another. */
function oneLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll("-->", "->");
}

/** Renders `01:02:03.456`; hours may have more than two digits. */
function time(seconds: number, point: "," | "."): string {
  const millis = Math.max(0, Math.round(seconds * 1_000));
  const pad = (value: number, digits = 2): string => String(Math.floor(value)).padStart(digits, "0");
  const clock = [millis / 3_600_000, (millis / 60_000) % 60, (millis / 1_000) % 60].map((value) => pad(value));
  return `${clock.join(":")}${point}${pad(millis % 1_000, 3)}`;
}
