import { sessionFailure, type Failure } from "@modelgate/contracts";
import { eventMessage, type RealtimeMessage } from "./message.ts";

/** A failure as a session's `error` event; `causedBy` is the `event_id` of the client's event, where it had one. */
export function errorEvent(failure: Failure, eventId: string, causedBy?: string): RealtimeMessage {
  return eventMessage(sessionFailure(failure, eventId, causedBy));
}
