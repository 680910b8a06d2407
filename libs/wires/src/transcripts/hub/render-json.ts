import { present, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { Segment, Transcript } from "./answer.ts";
import type { TranscriptsRequest } from "./request.ts";

/** A transcript as JSON: its text alone, or with its times where verbose_json was asked for. */
export function asJson(
  { text, segments = [], words, language, duration }: Transcript,
  { format, granularities, language: asked = "" }: TranscriptsRequest,
  usage: Units | undefined,
): JsonRecord {
  const reported = renderUsage(usage);
  if (format !== "verbose_json") return present({ text, usage: reported });
  const wants = (what: "word" | "segment"): boolean => granularities.includes(what);
  return present({
    task: "transcribe",
    language: language ?? asked,
    duration: duration ?? segments.at(-1)?.end ?? 0,
    text,
    segments: wants("word") && !wants("segment") ? undefined : segments.map(asSegment),
    words: wants("word") ? (words ?? []).map(({ text: word, start, end }) => ({ word, start, end })) : undefined,
    usage: reported,
  });
}

function asSegment({ text, start, end }: Segment, id: number): JsonRecord {
  return { id, start, end, text };
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
