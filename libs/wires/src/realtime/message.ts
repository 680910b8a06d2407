import { Failure, sessionFailure } from "@modelgate/contracts";
import { parseRecord, type JsonRecord } from "../json/fields.ts";

/** A message of a session on the wire. */
export interface RealtimeMessage {
  readonly data: Buffer;
  /** Binary or text; the events of every known vendor are text. */
  readonly binary: boolean;
}

/** Renders an event as a text message. */
export function eventMessage(event: object): RealtimeMessage {
  return { data: Buffer.from(JSON.stringify(event)), binary: false };
}

/** Renders a failure as a session's `error` event; `causedBy` is the `event_id` of the client's event, where it had one. */
export function errorEvent(failure: Failure, eventId: string, causedBy?: unknown): RealtimeMessage {
  return eventMessage(sessionFailure(failure, eventId, typeof causedBy === "string" ? causedBy : undefined));
}

const typeFirst = /^\s*\{\s*"type"\s*:\s*"([^"\\]*)"/;
/** Bytes that hold the type of an event that begins with it. */
const headBytes = 128;

/** Returns the type of an event, without parsing it where it begins with its type, as vendors' events do. */
export function eventType(data: Buffer): string | undefined {
  const found = typeFirst.exec(data.toString("latin1", 0, headBytes))?.[1];
  if (found !== undefined) return found;
  const type = parseEvent(data)?.["type"];
  return typeof type === "string" ? type : undefined;
}

/** Parses an event; undefined for anything but a JSON object. */
export function parseEvent(data: Buffer): JsonRecord | undefined {
  return parseRecord(data.toString());
}

/** Creates the failure of a part of a client's message that its vendor's wire cannot express. */
export function cannotPass(param: string): Failure {
  return new Failure("unsupported_parameter", `${param} cannot be passed to the vendor of this model.`, { param });
}
