import { Failure } from "@modelgate/contracts";
import type { Segment, Transcript } from "./answer.ts";

/** A transcript as lines of text. */
export function asText({ text }: Transcript): string {
  return `${text}\n`;
}

/** SubRip: numbered blocks, times with a comma. Throws Failure upstream_error for a transcript without times. */
export function asSrt(transcript: Transcript): string {
  return segmentsOf(transcript)
    .map((segment, at) => `${at + 1}\n${cue(segment, ",")}`)
    .join("");
}

/** WebVTT. Throws Failure upstream_error for a transcript without times. */
export function asVtt(transcript: Transcript): string {
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

/** An empty line would end the cue, an arrow would begin another. */
function oneLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll("-->", "->");
}

/** `01:02:03.456`; hours may have more digits than two. */
function time(seconds: number, point: "," | "."): string {
  const millis = Math.max(0, Math.round(seconds * 1_000));
  const pad = (value: number, digits = 2): string => String(Math.floor(value)).padStart(digits, "0");
  const clock = [millis / 3_600_000, (millis / 60_000) % 60, (millis / 1_000) % 60].map((value) => pad(value));
  return `${clock.join(":")}${point}${pad(millis % 1_000, 3)}`;
}
