import { Failure } from "@modelgate/contracts";
import { asRecord, isRecord, type JsonRecord } from "../../json/fields.ts";
import { eventMessage, parseEvent, type RealtimeMessage } from "../hub/message.ts";

/** Reads a client's event. Throws Failure for a message that is not a JSON object in a text frame. */
export function parseLiveEvent({ data, binary }: RealtimeMessage): JsonRecord {
  const event = binary ? undefined : parseEvent(data);
  if (event === undefined) throw new Failure("invalid_json", "The event is not a JSON object.");
  return event;
}

/** Returns the model in a client's first event. Throws Failure if the event is not a start, or names no model. */
export function modelOfStart(message: RealtimeMessage): string {
  const { type, session } = parseLiveEvent(message);
  if (type !== "session.start") throw new Failure("invalid_value", "The first event must be session.start.");
  const { model } = asRecord(session);
  if (typeof model !== "string" || model === "")
    throw new Failure("missing_required_parameter", "session.model is missing.", { param: "session.model" });
  return model;
}

/**
 * Checks the settings in an event that starts or changes a session. Throws Failure (400) for a stored session, and for
 * work of the vendor's other models, because no price covers it and no permission of the caller was checked for it.
 */
export function checkLiveSettings({ session }: JsonRecord): void {
  if (!isRecord(session)) return;
  const { delegation, triggers, store } = session;
  if (store === true)
    throw new Failure("unsupported_parameter", "Sessions cannot be stored: their recordings cannot be read here.", {
      param: "session.store",
    });
  const { type = "client", responses, decisions } = asRecord(delegation);
  if (type !== "client" || responses !== undefined || decisions !== undefined)
    throw unpricedWork("session.delegation", "Use client delegation");
  if (Array.isArray(triggers) && triggers.length > 0) throw unpricedWork("session.triggers", "Leave it out");
}

function unpricedWork(param: string, advice: string): Failure {
  return new Failure(
    "unsupported_parameter",
    `${param} is not supported here: it lets another model of the vendor work. ${advice}.`,
    { param },
  );
}

/**
 * Renders a failure as the format's `error` event. `causedBy` is the `event_id` of the client's event that failed, if it
 * has one.
 */
export function liveErrorEvent(failure: Failure, eventId: string, causedBy?: unknown): RealtimeMessage {
  const cause = { client_event_id: typeof causedBy === "string" ? causedBy : undefined };
  const { kind, code, vendorCode, message, param } = failure;
  // Members without a value are not written.
  return eventMessage({
    type: "error",
    event_id: eventId,
    error: { type: kind.type, code: vendorCode ?? code, message, param, ...cause },
    ...cause,
  });
}
