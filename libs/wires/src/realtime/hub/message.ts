import { Failure, renderSessionFailure } from "@modelgate/contracts";
import { parseRecord, type JsonRecord } from "@modelgate/formats/json";

export interface RealtimeMessage {
  readonly data: Buffer;
  /** True for a binary frame. All known vendors send their events as text. */
  readonly binary: boolean;
}

export function eventMessage(event: object): RealtimeMessage {
  return { data: Buffer.from(JSON.stringify(event)), binary: false };
}

/** Renders a failure as an `error` event. `causedBy` is the `event_id` of the client's event. */
export function errorEvent(failure: Failure, eventId: string, causedBy?: unknown): RealtimeMessage {
  return eventMessage(renderSessionFailure(failure, eventId, typeof causedBy === "string" ? causedBy : undefined));
}

const typeAtStart = /^\s*\{\s*"type"\s*:\s*"([^"\\]*)"/;
const maxHeadBytes = 128;

/** Returns the type of an event. For speed, an event that begins with its type is not parsed. */
export function eventType(data: Buffer): string | undefined {
  const typeText = typeAtStart.exec(data.toString("latin1", 0, maxHeadBytes))?.[1];
  if (typeText !== undefined) return typeText;
  const type = parseEvent(data)?.["type"];
  return typeof type === "string" ? type : undefined;
}

export function parseEvent(data: Buffer): JsonRecord | undefined {
  return parseRecord(data.toString());
}

const audioEventEnd = Buffer.from('"}');
const backslash = 0x5c;

/**
 * Returns true if an event only appends samples. Such an event consists of `start`, Base64, and the end of the object.
 */
export function isPlainAudioEvent(data: Buffer, start: Buffer): boolean {
  return (
    data.length >= start.length + audioEventEnd.length &&
    data.subarray(0, start.length).equals(start) &&
    data.indexOf(audioEventEnd[0] ?? 0, start.length) === data.length - audioEventEnd.length &&
    data.subarray(-audioEventEnd.length).equals(audioEventEnd) &&
    data.at(-audioEventEnd.length - 1) !== backslash
  );
}

/** Creates the failure for a part of a message that the vendor's wire cannot express. */
export function unsupportedByVendor(param: string): Failure {
  return new Failure("unsupported_parameter", `${param} cannot be passed to the vendor of this model.`, { param });
}
