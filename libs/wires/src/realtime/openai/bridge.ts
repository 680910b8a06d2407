import { Failure } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { membersOf } from "../../json/members.ts";
import { spliceMembers } from "../../json/splice.ts";
import { nothing, type Bridged, type RealtimeBridge, type RealtimeNames } from "../bridge.ts";
import { errorEvent } from "../error-event.ts";
import { eventType, parseEvent } from "../look.ts";
import { eventMessage, type RealtimeMessage } from "../message.ts";

const sessionEvents: ReadonlySet<string> = new Set(["session.created", "session.updated"]);

/**
 * A vendor of the client's own format: every message passes as it came. The model's name alone is replaced, where it
 * stands in a session and differs; a client that wants another model than the session's is refused, since the
 * session's price and channel are its model's.
 */
export function openaiBridge({ model, upstreamModel, sessionId }: RealtimeNames): RealtimeBridge {
  const renamed = model !== upstreamModel;
  let errors = 0;

  function refuse(failure: Failure, causedBy?: unknown): Bridged {
    const cause = typeof causedBy === "string" ? causedBy : undefined;
    return { toClient: [errorEvent(failure, `event_${sessionId}e${++errors}`, cause)], toVendor: [] };
  }

  function fromClient(message: RealtimeMessage): Bridged {
    const pass = { toClient: [], toVendor: [message] };
    if (message.binary) return pass;
    // Audio is most of what comes, and says nothing that is looked for.
    if (startsAsAudio(message.data)) return pass;
    const event = parseEvent(message.data);
    if (event === undefined) return refuse(new Failure("invalid_json", "The event is not a JSON object."));
    if (event["type"] !== "session.update" || !isRecord(event["session"])) return pass;
    const wanted = event["session"]["model"] ?? undefined;
    if (wanted === undefined || (wanted === model && !renamed)) return pass;
    if (wanted !== model)
      return refuse(
        new Failure("invalid_value", "The model of a session cannot be changed.", { param: "session.model" }),
        event["event_id"],
      );
    return { toClient: [], toVendor: [withModel(message, upstreamModel)] };
  }

  function fromVendor(message: RealtimeMessage): Bridged {
    const shown =
      renamed && !message.binary && sessionEvents.has(eventType(message.data) ?? "")
        ? withModel(message, model)
        : message;
    return { toClient: [shown], toVendor: [] };
  }

  return {
    greets: true,
    open: () => nothing,
    fromClient,
    fromVendor,
    cancel: () => [eventMessage({ type: "response.cancel" })],
  };
}

const audioFirst = Buffer.from('{"type":"input_audio_buffer.append"');

function startsAsAudio(data: Buffer): boolean {
  return data.subarray(0, audioFirst.length).equals(audioFirst);
}

/** The event with another model in its session, every other byte as it came; itself where it names none. */
function withModel(message: RealtimeMessage, model: string): RealtimeMessage {
  const event = parseEvent(message.data);
  const session = event?.["session"];
  if (!isRecord(session) || typeof session["model"] !== "string") return message;
  const members = membersOf(message.data);
  const place = members.findLast(({ name }) => name === "session");
  if (place === undefined) return message;
  const spliced = spliceMembers(message.data.subarray(place.start, place.end), { model: JSON.stringify(model) });
  return { data: spliceMembers(message.data, { session: spliced.toString() }, members), binary: false };
}
