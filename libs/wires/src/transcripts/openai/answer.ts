import { Failure, type Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/vendor-answer.ts";
import type { Frame } from "../../sse/framing.ts";
import type { Transcript, TranscriptEvent } from "../hub/answer.ts";

/** Most segments that an answer may have: a day of speech in pieces of a second. */
const mostSegments = 100_000;

/** A transcript in JSON, with its segments where it has any. */
export function parseAnswer(body: JsonRecord): Transcript {
  return readVendor(body, (fields) => ({
    text: fields.needText("text"),
    segments: fields.has("segments")
      ? fields.each("segments", mostSegments).map((segment) => ({
          text: segment.needText("text"),
          start: segment.number("start") ?? 0,
          end: segment.number("end") ?? 0,
        }))
      : undefined,
  }));
}

/** `usage` by tokens or by duration; else the duration that verbose_json tells. */
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
  // Input that is not said to be text is what was heard.
  return { inputTokens: Math.min(text, input), inputAudioTokens: Math.max(0, input - text), outputTokens: output };
}

function amount(value: unknown): number {
  return isAmount(value) ? Math.round(value) : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Number.MAX_SAFE_INTEGER;
}

/** A frame of a streamed transcript: `transcript.text.delta`, `.done`, `.segment`, or an error. */
export function readEvent({ data }: Frame): TranscriptEvent {
  if (data === "[DONE]") return { kind: "other" };
  const event = parsed(data);
  if (isRecord(event["error"])) return { kind: "error" };
  if (event["type"] === "transcript.text.delta")
    return { kind: "delta", text: typeof event["delta"] === "string" ? event["delta"] : "" };
  return event["type"] === "transcript.text.done" ? { kind: "done", body: event } : { kind: "other" };
}

/** A whole answer as a stream: its text in one piece, then its end. */
export function writeEvents(body: JsonRecord): string {
  const { text, usage, logprobs } = body;
  const shared = logprobs === undefined ? {} : { logprobs };
  const done = { type: "transcript.text.done", text, ...shared, ...(usage === undefined ? {} : { usage }) };
  return frame({ type: "transcript.text.delta", delta: text, ...shared }) + frame(done);
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function parsed(data: string): JsonRecord {
  try {
    const event: unknown = JSON.parse(data);
    if (isRecord(event)) return event;
  } catch {
    // told below
  }
  throw new Failure("upstream_error", "The vendor's stream has an event that is no JSON object.");
}
