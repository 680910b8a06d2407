import { withoutUndefined, type Units } from "@modelgate/contracts";
import { asText, isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import { parseEvent, readVendor, renderEvent } from "../../kind/index.ts";
import { renderUsage, segmentOf, type Transcript, type TranscriptEvent } from "../hub/index.ts";

/** Maximum number of segments of an answer: about a day of one-second segments. */
const maxSegments = 100_000;

export function parseAnswer(body: JsonRecord): Transcript {
  return readVendor(body, (fields) => ({
    text: fields.needText("text"),
    segments: fields.has("segments")
      ? fields.each("segments", maxSegments).map((segment) => segmentOf(segment, segment.needText("text")))
      : undefined,
  }));
}

/** Reads tokens or a duration, which Mistral calls `prompt_audio_seconds`. */
export function readUsage({ usage, duration }: JsonRecord): Units | undefined {
  if (isRecord(usage)) {
    const { prompt_audio_seconds: audioSeconds, seconds = audioSeconds } = usage;
    const { input_tokens: input, output_tokens: output, input_token_details: details } = usage;
    if (isAmount(seconds)) return { seconds };
    if (isAmount(input) || isAmount(output)) return tokenUnits(amountOrZero(input), amountOrZero(output), details);
  }
  return isAmount(duration) ? { seconds: duration } : undefined;
}

function tokenUnits(input: number, output: number, details: unknown): Units {
  const text = isRecord(details) ? amountOrZero(details["text_tokens"]) : 0;
  // Input that is not reported as text is billed as audio.
  return { inputTokens: Math.min(text, input), inputAudioTokens: Math.max(0, input - text), outputTokens: output };
}

function amountOrZero(value: unknown): number {
  return isAmount(value) ? Math.round(value) : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Number.MAX_SAFE_INTEGER;
}

/** Reads an event of OpenAI's stream (`transcript.…`), or of Mistral's (`transcription.…`), which is rendered as OpenAI's. */
export function readEvent({ data }: Frame): TranscriptEvent {
  if (data === "[DONE]") return { kind: "other" };
  const event = parseEvent(data);
  if (isRecord(event["error"])) return { kind: "error" };
  switch (event["type"]) {
    case "transcript.text.delta":
      return { kind: "delta", text: asText(event["delta"]) };
    case "transcript.text.done":
      return { kind: "done", body: event };
    case "transcription.text.delta": {
      const text = asText(event["text"]);
      return { kind: "delta", text, rendered: renderEvent({ type: "transcript.text.delta", delta: text }) };
    }
    case "transcription.done": {
      const usage = renderUsage(readUsage(event));
      const done = withoutUndefined({ type: "transcript.text.done", text: asText(event["text"]), usage });
      return { kind: "done", body: event, rendered: renderEvent(done) };
    }
    case "transcription.language":
    case "transcription.segment":
      return { kind: "other", rendered: "" };
    default:
      return { kind: "other" };
  }
}
