import { EventStreamCodec } from "@smithy/eventstream-codec";
import type { Frame, StreamFraming } from "../sse/framing.ts";
import { AmazonSplitter } from "./splitter.ts";

/** The media type of Amazon's event streams. */
export const amazonStreamType = "application/vnd.amazon.eventstream";

/** The name of a frame that says how the stream failed: `{"failure": {"code", "message"}}`. */
const failureName = "failure";

/**
 * Amazon's event streams. A frame's data is one member, `{"<type>": <payload>}`, as the service's model has them: the
 * payload alone does not say what it is.
 */
export const amazonFraming: StreamFraming = {
  mediaType: amazonStreamType,
  splitter: () => new AmazonSplitter(),
  parse(frame): Frame {
    const message = readMessage(frame);
    if (message.kind === "event")
      return { event: message.type, data: `{${JSON.stringify(message.type)}:${message.payload || "{}"}}` };
    const failure = { code: message.type, message: wordsOfFailure(message) };
    return { event: failureName, data: JSON.stringify({ [failureName]: failure }) };
  },
};

/** One message of an Amazon event stream, read. */
export interface AmazonMessage {
  /** "event", or how the stream failed: an exception of the service's model, an error beside it, or bytes that are damaged. */
  readonly kind: "event" | "exception" | "error" | "damaged";
  /** The type of the event or exception; the code of an error. */
  readonly type: string;
  /** Its payload as text: JSON, but for errors, whose words it is. */
  readonly payload: string;
}

const codec = new EventStreamCodec(
  (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  (text: string) => Buffer.from(text),
);

/** Reads a whole message; its checksums are checked. Never throws: damage is a kind of its own. */
export function readMessage(frame: Buffer): AmazonMessage {
  try {
    const { headers, body } = codec.decode(frame);
    const header = (name: string): string => {
      const value = headers[name]?.value;
      return typeof value === "string" ? value : "";
    };
    const kind = header(":message-type");
    const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
    if (kind === "event") return { kind, type: header(":event-type"), payload };
    if (kind === "exception") return { kind, type: header(":exception-type"), payload };
    return { kind: "error", type: header(":error-code"), payload: header(":error-message") };
  } catch {
    return { kind: "damaged", type: "damaged", payload: "The vendor's stream is damaged." };
  }
}

/** The words of a message that is no event. */
export function wordsOfFailure({ kind, payload }: AmazonMessage): string {
  if (kind !== "exception") return payload;
  try {
    const said: unknown = JSON.parse(payload);
    if (typeof said === "object" && said !== null && "message" in said) return String(said.message);
  } catch {
    // What is no JSON is taken as it came.
  }
  return payload;
}
