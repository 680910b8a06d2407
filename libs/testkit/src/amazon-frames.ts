import { EventStreamCodec } from "@smithy/eventstream-codec";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

const header = (value: string) => ({ type: "string", value }) as const;

/** Encodes an event as a frame of Amazon's event stream. */
export function amazonFrame(type: string, payload: object): Buffer {
  const headers = {
    ":event-type": header(type),
    ":content-type": header("application/json"),
    ":message-type": header("event"),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(payload)) }));
}

/** Encodes an exception that Amazon's API description declares. */
export function amazonException(type: string, message: string): Buffer {
  const headers = { ":exception-type": header(type), ":message-type": header("exception") };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify({ message })) }));
}

/** Encodes an error that Amazon's API description does not declare. */
export function amazonError(code: string, message: string): Buffer {
  const headers = { ":error-code": header(code), ":error-message": header(message), ":message-type": header("error") };
  return Buffer.from(codec.encode({ headers, body: Buffer.alloc(0) }));
}
