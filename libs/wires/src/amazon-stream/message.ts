import { EventStreamCodec } from "@smithy/eventstream-codec";

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
