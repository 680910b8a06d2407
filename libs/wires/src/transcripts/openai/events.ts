import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { Frame } from "../../sse/framing.ts";
import type { TranscriptEvent } from "../hub/answer.ts";

/** Reads a frame of a streamed transcript: `transcript.text.delta`, `.done`, `.segment`, or an error. */
export function readEvent({ data }: Frame): TranscriptEvent {
  if (data === "[DONE]") return { kind: "other" };
  const event = parsed(data);
  if (isRecord(event["error"])) return { kind: "error" };
  if (event["type"] === "transcript.text.delta")
    return { kind: "delta", text: typeof event["delta"] === "string" ? event["delta"] : "" };
  return event["type"] === "transcript.text.done" ? { kind: "done", body: event } : { kind: "other" };
}

/** Renders a whole answer as a stream: its text in one piece, then its end. */
export function writeEvents(body: JsonRecord): string {
  const { text, usage, logprobs } = body;
  const shared = logprobs === undefined ? {} : { logprobs };
  const done = present({ type: "transcript.text.done", text, ...shared, usage });
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
    // reported below
  }
  throw new Failure("upstream_error", "The vendor's stream has an event that is not a JSON object.");
}
