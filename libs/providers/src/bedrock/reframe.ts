import { amazonStreamType, AmazonSplitter, readMessage, failureMessage } from "@modelgate/formats/amazon-stream";
import type { Reframing } from "../provider.ts";

/** Converts the stream of InvokeModelWithResponseStream. Each frame contains one event in Base64. */
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

function eventOf(frame: Buffer): string {
  const message = readMessage(frame);
  const json = message.kind === "event" ? chunkOf(message.payload) : undefined;
  if (json !== undefined) return `event: ${typeOf(json)}\ndata: ${json}\n\n`;
  const type = (Object.hasOwn(errorTypes, message.type) ? errorTypes[message.type] : undefined) ?? "api_error";
  const text = message.kind === "event" ? "The vendor's stream cannot be read." : failureMessage(message);
  return `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message: text } })}\n\n`;
}

/** Returns the JSON in a payload, which is `{"bytes": Base64, "p": padding}`. */
function chunkOf(payload: string): string | undefined {
  const bytes = /"bytes"\s*:\s*"([A-Za-z0-9+/=]*)"/.exec(payload)?.[1];
  if (bytes === undefined) return undefined;
  const json = Buffer.from(bytes, "base64").toString();
  // A line feed would end the SSE event. In valid JSON line feeds occur only between members.
  return json.includes("\n") || json.includes("\r") ? json.replaceAll(/[\r\n]+/g, " ") : json;
}

/** Reads the type of an event. Vendors usually write it first, so most events are not parsed. */
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
