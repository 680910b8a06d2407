import { amazonStreamType, AmazonSplitter, readMessage, wordsOfFailure } from "@modelgate/wires/amazon-stream";
import type { Reframing } from "../provider.ts";

/** Reframes InvokeModelWithResponseStream: each frame holds one event of the model's native stream, in Base64. */
export const invokedStream: Reframing = {
  from: amazonStreamType,
  to: "text/event-stream",
  open() {
    const splitter = new AmazonSplitter();
    return { push: (chunk) => Buffer.from(splitter.push(chunk).map(eventOf).join("")) };
  },
};

/** Error types of the messages wire, by the name of Bedrock's exception. */
const errorTypes: Readonly<Record<string, string>> = {
  validationException: "invalid_request_error",
  throttlingException: "rate_limit_error",
  modelTimeoutException: "timeout_error",
  serviceUnavailableException: "overloaded_error",
};

/** Converts a frame to an event of the messages wire. */
function eventOf(frame: Buffer): string {
  const message = readMessage(frame);
  const json = message.kind === "event" ? chunkOf(message.payload) : undefined;
  if (json !== undefined) return `event: ${typeOf(json)}\ndata: ${json}\n\n`;
  const type = (Object.hasOwn(errorTypes, message.type) ? errorTypes[message.type] : undefined) ?? "api_error";
  const words = message.kind === "event" ? "The vendor's stream cannot be read." : wordsOfFailure(message);
  return `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message: words } })}\n\n`;
}

/** Returns the event in a frame's payload, `{"bytes": Base64, "p": padding}`; undefined where it has none. */
function chunkOf(payload: string): string | undefined {
  const bytes = /"bytes"\s*:\s*"([A-Za-z0-9+/=]*)"/.exec(payload)?.[1];
  if (bytes === undefined) return undefined;
  const json = Buffer.from(bytes, "base64").toString();
  // A line feed would end the event; valid JSON has them only between members.
  return json.includes("\n") || json.includes("\r") ? json.replaceAll(/[\r\n]+/g, " ") : json;
}

/** Returns the event's type, which vendors usually write first; otherwise searches the complete event. */
function typeOf(json: string): string {
  const first = /^\s*\{\s*"type"\s*:\s*"(\w+)"/.exec(json)?.[1];
  if (first !== undefined) return first;
  try {
    const event: unknown = JSON.parse(json);
    return typeof event === "object" && event !== null && "type" in event ? String(event.type) : "message";
  } catch {
    return "message";
  }
}
