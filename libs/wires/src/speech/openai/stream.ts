import { Failure, type Units } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import type { SpeechEvent } from "../hub/answer.ts";
import type { Frame } from "../../sse/framing.ts";

/** Reads a frame of streamed speech: `speech.audio.delta`, `speech.audio.done`, or an error. */
export function readEvent({ data }: Frame): SpeechEvent {
  if (data === "[DONE]") return { kind: "other" };
  const event = parsed(data);
  if (isRecord(event["error"])) return { kind: "error" };
  if (event["type"] === "speech.audio.delta") return { kind: "audio", bytes: bytesOf(event["audio"]) };
  if (event["type"] === "speech.audio.done") return { kind: "done", usage: readUsage(event["usage"]) };
  return { kind: "other" };
}

/** Renders a piece of audio as an event. */
export function writeAudio(bytes: Buffer): string {
  return frame({ type: "speech.audio.delta", audio: bytes.toString("base64") });
}

/** Renders the end of the speech. */
export function writeDone({ inputTokens = 0, outputTokens = 0, outputAudioTokens = 0 }: Units): string {
  const output = outputTokens + outputAudioTokens;
  return frame({
    type: "speech.audio.done",
    usage: { input_tokens: inputTokens, output_tokens: output, total_tokens: inputTokens + output },
  });
}

/** Reads the usage: its output tokens are audio. Undefined where the vendor reports none. */
function readUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  return { inputTokens: countOf(usage["input_tokens"]), outputAudioTokens: countOf(usage["output_tokens"]) };
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function parsed(data: string) {
  try {
    const event: unknown = JSON.parse(data);
    if (isRecord(event)) return event;
  } catch {
    // reported below
  }
  throw new Failure("upstream_error", "The vendor's stream has an event that is not a JSON object.");
}

function bytesOf(audio: unknown): Buffer {
  if (typeof audio !== "string") throw new Failure("upstream_error", "The vendor's stream has an event without audio.");
  return Buffer.from(audio, "base64");
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
