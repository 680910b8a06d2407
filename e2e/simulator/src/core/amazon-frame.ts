import { EventStreamCodec } from "@smithy/eventstream-codec";

interface FrameContent {
  readonly event?: string;
  readonly data: string;
  readonly isFailure?: boolean;
}

const codec = new EventStreamCodec(
  (bytes: Uint8Array) => Buffer.from(bytes).toString(),
  (text: string) => Buffer.from(text),
);

/** Media type of Amazon's event streams. */
export const amazonStreamType = "application/vnd.amazon.eventstream";

/** Encodes a frame of an Amazon event stream. A failure is an exception. */
export function amazonFrame({ event = "", data, isFailure = false }: FrameContent): Buffer {
  const header = (value: string) => ({ type: "string", value }) as const;
  const kind = isFailure ? "exception" : "event";
  const headers = {
    [`:${kind}-type`]: header(event),
    ":content-type": header("application/json"),
    ":message-type": header(kind),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(data) }));
}
