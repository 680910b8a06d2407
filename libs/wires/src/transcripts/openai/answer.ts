import { withoutUndefined, type Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { parseEvent, readVendor, renderEvent } from "../../kind/index.ts";
import type { Frame } from "@modelgate/formats/sse";
import { segmentOf, type Transcript, type TranscriptEvent } from "../hub/index.ts";

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

/** Reads `usage` by tokens or by duration, else the duration of verbose_json; undefined if an answer has neither. */
export function readUsage({ usage, duration }: JsonRecord): Units | undefined {
  if (isRecord(usage)) {
    const { seconds, input_tokens: input, output_tokens: output, input_token_details: details } = usage;
    if (isAmount(seconds)) return { seconds };
    if (isAmount(input) || isAmount(output)) return tokens(amount(input), amount(output), details);
  }
  return isAmount(duration) ? { seconds: duration } : undefined;
}

function tokens(input: number, output: number, details: unknown): Units {
  const text = isRecord(details) ? amount(details["text_tokens"]) : 0;
  // Input that is not reported as text counts as audio.
  return { inputTokens: Math.min(text, input), inputAudioTokens: Math.max(0, input - text), outputTokens: output };
}

function amount(value: unknown): number {
  return isAmount(value) ? Math.round(value) : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Number.MAX_SAFE_INTEGER;
}

/**
 * Reads a frame of a streamed transcript: `transcript.text.delta`, `transcript.text.done` or an error. Every other
 * frame is "other".
 */
export function readEvent({ data }: Frame): TranscriptEvent {
  if (data === "[DONE]") return { kind: "other" };
  const event = parseEvent(data);
  if (isRecord(event["error"])) return { kind: "error" };
  if (event["type"] === "transcript.text.delta")
    return { kind: "delta", text: typeof event["delta"] === "string" ? event["delta"] : "" };
  return event["type"] === "transcript.text.done" ? { kind: "done", body: event } : { kind: "other" };
}

/** Renders a complete answer as a stream: its text in one piece, then its end. */
export function renderTranscriptStream(body: JsonRecord): string {
  const { text, usage, logprobs } = body;
  const shared = logprobs === undefined ? {} : { logprobs };
  const done = withoutUndefined({ type: "transcript.text.done", text, ...shared, usage });
  return renderEvent({ type: "transcript.text.delta", delta: text, ...shared }) + renderEvent(done);
}
