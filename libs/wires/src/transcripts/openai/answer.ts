import { withoutUndefined, type Units } from "@modelgate/contracts";
import { asRecord, asRecords, asText, isRecord, type JsonRecord } from "@modelgate/formats/json";
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

/** Reads tokens or a duration, which Mistral calls `prompt_audio_seconds`. The duration of vLLM is a text. */
export function readUsage({ usage, duration: length }: JsonRecord): Units | undefined {
  if (isRecord(usage)) {
    const { prompt_audio_seconds: audioSeconds, seconds = audioSeconds } = usage;
    const { input_tokens: input, output_tokens: output, input_token_details: details } = usage;
    if (isAmount(seconds)) return { seconds };
    if (isAmount(input) || isAmount(output)) return tokenUnits(amountOrZero(input), amountOrZero(output), details);
  }
  const duration = typeof length === "string" ? Number.parseFloat(length) : length;
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

/** Creates the reader of a stream. Mistral's events (`transcription.…`) and vLLM's chunks are rendered as OpenAI's events. */
export function openStream(): { read(frame: Frame): TranscriptEvent } {
  /** Text of vLLM's chunks, whose last event has none; undefined for other vendors. */
  let chunkText: string | undefined;
  return {
    read({ data }) {
      if (data === "[DONE]") return chunkText === undefined ? { kind: "other" } : doneEvent({ text: chunkText });
      const event = parseEvent(data);
      if (event["object"] !== "transcription.chunk" || !Array.isArray(event["choices"])) return readEvent(event);
      const text = asRecords(event["choices"])
        .map(({ delta }) => asText(asRecord(delta)["content"]))
        .join("");
      chunkText = (chunkText ?? "") + text;
      return deltaEvent(text);
    },
  };
}

function readEvent(event: JsonRecord): TranscriptEvent {
  if (isRecord(event["error"])) return { kind: "error" };
  switch (event["type"]) {
    case "transcript.text.delta":
      return { kind: "delta", text: asText(event["delta"]) };
    case "transcript.text.done":
      return { kind: "done", body: event };
    case "transcription.text.delta":
      return deltaEvent(asText(event["text"]));
    case "transcription.done":
      return doneEvent(event);
    case "transcription.language":
    case "transcription.segment":
      return { kind: "other", rendered: "" };
    default:
      return { kind: "other" };
  }
}

function deltaEvent(text: string): TranscriptEvent {
  return { kind: "delta", text, rendered: renderEvent({ type: "transcript.text.delta", delta: text }) };
}

function doneEvent(body: JsonRecord): TranscriptEvent {
  const usage = renderUsage(readUsage(body));
  const done = withoutUndefined({ type: "transcript.text.done", text: asText(body["text"]), usage });
  return { kind: "done", body, rendered: renderEvent(done) };
}
