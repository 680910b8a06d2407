import { unsupportedFailure } from "../../text/hub/request.ts";
import { Failure } from "@modelgate/contracts";
import { missingFailure, invalidFailure, asRecord, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { eventMessage, isPlainAudioEvent, parseEvent, type RealtimeMessage } from "../hub/message.ts";

/** Reads a client's event. Throws Failure for a message that is not a JSON object in a text frame. */
export function parseLiveEvent({ data, binary }: RealtimeMessage): JsonRecord {
  const event = binary ? undefined : parseEvent(data);
  if (event === undefined) throw new Failure("invalid_json", "The event is not a JSON object.");
  return event;
}

/** Returns the model in a client's first event. Throws Failure (400) unless the event is a valid start. */
export function modelOfStart(message: RealtimeMessage): string {
  const event = parseLiveEvent(message);
  if (event["type"] !== "session.start") throw invalidFailure("type", "The first event must be session.start.");
  const { model } = asRecord(event["session"]);
  if (typeof model !== "string" || model === "") throw missingFailure("session.model", "session.model is missing.");
  checkLiveSettings(event);
  return model;
}

/** Refuses (400) sessions that the vendor stores, and work of the vendor's other models, for which no price exists. */
export function checkLiveSettings({ session }: JsonRecord): void {
  if (!isRecord(session)) return;
  const { delegation, triggers, store } = session;
  if (store === true)
    throw unsupportedFailure("session.store", "Sessions cannot be stored: their recordings cannot be read here.");
  const { type = "client", responses, decisions } = asRecord(delegation);
  if (type !== "client" || responses !== undefined || decisions !== undefined)
    throw unpricedWork("session.delegation", "Use client delegation");
  if (Array.isArray(triggers) && triggers.length > 0) throw unpricedWork("session.triggers", "Leave it out");
}

function unpricedWork(param: string, advice: string): Failure {
  return unsupportedFailure(
    param,
    `${param} is not supported here: it lets another model of the vendor work. ${advice}.`,
  );
}

const appendType = "session.input_audio.append";
const audioEventStart = Buffer.from(`{"type":"${appendType}","audio":"`);

export function isLiveAudio(data: Buffer): boolean {
  return isPlainAudioEvent(data, audioEventStart);
}

export function liveAudioBytes({ data, binary }: RealtimeMessage): number {
  if (binary) return 0;
  if (isLiveAudio(data)) return ((data.length - audioEventStart.length) * 3) / 4;
  const { type, audio } = parseEvent(data) ?? {};
  return type === appendType && typeof audio === "string" ? (audio.length * 3) / 4 : 0;
}

/** Renders a failure as an `error` event. `causedBy` is the `event_id` of the client's event that failed. */
export function liveErrorEvent(failure: Failure, eventId: string, causedBy?: unknown): RealtimeMessage {
  const cause = { client_event_id: typeof causedBy === "string" ? causedBy : undefined };
  const { kind, code, vendorCode, message } = failure;
  // Failures of the catalog name the field as other formats do.
  const param = failure.param === "model" ? "session.model" : failure.param;
  // Members without a value are not written.
  return eventMessage({
    type: "error",
    event_id: eventId,
    error: { type: kind.type, code: vendorCode ?? code, message, param, ...cause },
    ...cause,
  });
}
