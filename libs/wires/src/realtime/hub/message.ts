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

/** Returns the type of an event. For speed, an event that begins with its type, or that only appends samples, is not parsed. */
export function eventType(data: Buffer): string | undefined {
  const typeText = typeAtStart.exec(data.toString("latin1", 0, maxHeadBytes))?.[1];
  if (typeText !== undefined) return typeText;
  const type = plainAudio(data)?.type ?? parseEvent(data)?.["type"];
  return typeof type === "string" ? type : undefined;
}

export function parseEvent(data: Buffer): JsonRecord | undefined {
  return parseRecord(data.toString());
}

const audioStart = /"audio"\s*:\s*"/;
const audioMembers: ReadonlySet<string> = new Set(["type", "audio", "event_id"]);
/** Maximum bytes before and after the Base64 of an event that only appends samples. */
const maxAroundAudio = 256;
const [quote, backslash] = [0x22, 0x5c];

/** Returns the length of the Base64 in an event of this type that only appends samples; undefined for any other event. */
export function plainAudioLength(data: Buffer, type: string): number | undefined {
  const audio = plainAudio(data);
  return audio?.type === type ? audio.length : undefined;
}

/**
 * Returns the type, and the length of the Base64, of an event that only appends samples; undefined for any other event.
 * The Base64 is not parsed. The members are texts without escapes, in any order, and none occurs twice.
 */
function plainAudio(data: Buffer): { readonly type: unknown; readonly length: number } | undefined {
  const head = data.toString("latin1", 0, maxAroundAudio);
  const found = audioStart.exec(head);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const end = data.indexOf(quote, start);
  if (end < 0 || data.length - end > maxAroundAudio || data[end - 1] === backslash) return undefined;
  const rest = head.slice(0, start) + data.toString("latin1", end);
  const event = rest.includes("\\") ? undefined : parseRecord(rest);
  if (event === undefined) return undefined;
  const members = Object.entries(event);
  const isPlain = members.every(([name, value]) => audioMembers.has(name) && typeof value === "string");
  // Each member has four quotation marks. There are more if a name occurs twice.
  return isPlain && rest.split('"').length === members.length * 4 + 1
    ? { type: event["type"], length: end - start }
    : undefined;
}

/** Creates the failure for a part of a message that the vendor's wire cannot express. */
export function unsupportedByVendor(param: string): Failure {
  return new Failure("unsupported_parameter", `${param} cannot be passed to the vendor of this model.`, { param });
}
