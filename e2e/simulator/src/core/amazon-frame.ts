import { EventStreamCodec } from "@smithy/eventstream-codec";

/** What a frame is made of. */
interface Framed {
  /** Its type. */
  readonly event?: string;
  /** JSON. */
  readonly data: string;
  readonly isFailure?: boolean;
}

const codec = new EventStreamCodec(
  (bytes: Uint8Array) => Buffer.from(bytes).toString(),
  (text: string) => Buffer.from(text),
);

/** The media type of Amazon's event streams. */
export const amazonStreamType = "application/vnd.amazon.eventstream";

/** A frame as Amazon sends it, with its checksums; one that reports a failure is an exception. */
export function amazonFrame({ event = "", data, isFailure = false }: Framed): Buffer {
  const header = (value: string) => ({ type: "string", value }) as const;
  const kind = isFailure ? "exception" : "event";
  const headers = {
    [`:${kind}-type`]: header(event),
    ":content-type": header("application/json"),
    ":message-type": header(kind),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(data) }));
}
