import { EventStreamCodec } from "@smithy/eventstream-codec";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

const header = (value: string) => ({ type: "string", value }) as const;

/** A frame as Amazon sends one. */
export function amazonFrame(type: string, payload: object): Buffer {
  const headers = {
    ":event-type": header(type),
    ":content-type": header("application/json"),
    ":message-type": header("event"),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(payload)) }));
}

/** The frame of an exception. */
export function amazonException(type: string, message: string): Buffer {
  const headers = { ":exception-type": header(type), ":message-type": header("exception") };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify({ message })) }));
}

/** The frame of an error that the service's model does not know. */
export function amazonError(code: string, message: string): Buffer {
  const headers = { ":error-code": header(code), ":error-message": header(message), ":message-type": header("error") };
  return Buffer.from(codec.encode({ headers, body: Buffer.alloc(0) }));
}
