import { asFailure, Failure } from "@modelgate/contracts";
import { refuseAmbiguous } from "../../json/ambiguous.ts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { nothing, type Bridged, type RealtimeBridge, type RealtimeNames } from "../bridge.ts";
import { errorEvent } from "../error-event.ts";
import { eventType, parseEvent } from "../look.ts";
import { eventMessage, type RealtimeMessage } from "../message.ts";
import { isPlainAudio } from "./plain-audio.ts";
import { TranscriberSetting } from "./transcriber-setting.ts";
import { withName } from "./with-name.ts";

/** What a client sets a session up with, and what the vendor answers; the older form has events of its own. */
const updates: ReadonlySet<unknown> = new Set(["session.update", "transcription_session.update"]);
const sessionEvents: ReadonlySet<string> = new Set([
  "session.created",
  "session.updated",
  "transcription_session.created",
  "transcription_session.updated",
]);
const modelPath = ["session", "model"];

/**
 * A vendor of the client's own format: every message passes as it came. The names of models alone are replaced, where
 * they stand in a session and differ; a client that wants another model than the session's is refused, since the
 * session's price and channel are its model's.
 */
export function openaiBridge({ model, upstreamModel, sessionId, transcribers }: RealtimeNames): RealtimeBridge {
  const renamed = model !== upstreamModel;
  const transcriber = new TranscriberSetting(transcribers);
  let errors = 0;

  function refuse(failure: Failure, causedBy?: unknown): Bridged {
    const cause = typeof causedBy === "string" ? causedBy : undefined;
    return { toClient: [errorEvent(failure, `event_${sessionId}e${++errors}`, cause)], toVendor: [] };
  }

  function fromClient(message: RealtimeMessage): Bridged {
    // Audio is most of what comes, and says nothing that is looked for.
    if (message.binary || isPlainAudio(message.data)) return { toClient: [], toVendor: [message] };
    const event = parseEvent(message.data);
    if (event === undefined) return refuse(new Failure("invalid_json", "The event is not a JSON object."));
    try {
      // What is checked here must be what the vendor reads.
      refuseAmbiguous(message.data, ["type", "session"]);
      return { toClient: [], toVendor: [updates.has(event["type"]) ? updated(message, event) : message] };
    } catch (error) {
      return refuse(asFailure(error), event["event_id"]);
    }
  }

  /** An update of the session's settings in the vendor's names. Throws Failure for models that cannot be used. */
  function updated(message: RealtimeMessage, { session }: JsonRecord): RealtimeMessage {
    if (!isRecord(session)) return message;
    const wanted = session["model"] ?? undefined;
    if (wanted !== undefined && wanted !== model)
      throw new Failure("invalid_value", "The model of a session cannot be changed.", { param: "session.model" });
    const named = transcriber.asked(message, session);
    return renamed ? withName(named, modelPath, upstreamModel) : named;
  }

  function fromVendor(message: RealtimeMessage): Bridged {
    const told = !message.binary && sessionEvents.has(eventType(message.data) ?? "");
    return { toClient: [told ? shown(message) : message], toVendor: [] };
  }

  function shown(message: RealtimeMessage): RealtimeMessage {
    const session = parseEvent(message.data)?.["session"];
    if (!isRecord(session)) return message;
    const named = transcriber.told(message, session);
    return renamed ? withName(named, modelPath, model) : named;
  }

  return {
    greets: true,
    open: () => nothing,
    fromClient,
    fromVendor,
    get transcriber() {
      return transcriber.model;
    },
    cancel: () => [eventMessage({ type: "response.cancel" })],
  };
}
