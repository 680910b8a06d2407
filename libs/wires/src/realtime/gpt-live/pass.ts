import { asFailure, Failure } from "@modelgate/contracts";
import { asRecord, isRecord, type JsonRecord } from "../../json/fields.ts";
import { pcmBytesPerSecond } from "../hub/bridge.ts";
import type { BridgedMessages, ClientEvent, RealtimeBridge, RealtimeNames, SessionState } from "../hub/bridge.ts";
import { noInput, type SeenEvent } from "../hub/inspect.ts";
import { eventMessage, eventType, isPlainAudioEvent, parseEvent, type RealtimeMessage } from "../hub/message.ts";
import { checkLiveSettings, liveErrorEvent, parseLiveEvent } from "./client-event.ts";

const audioEventStart = Buffer.from('{"type":"session.input_audio.append","audio":"');

/**
 * Connects a client and a vendor of GPT-Live. The client's events are parsed, checked and rendered again with the
 * vendor's name of the model; audio and the vendor's messages without a model are forwarded unchanged. Reads the
 * reported seconds.
 */
export class GptLiveBridge implements RealtimeBridge {
  readonly greets = false;
  readonly #names: RealtimeNames;
  #phase: "new" | "starting" | "running" | "closed" = "new";
  /** True if the vendor has reported an error since the last start, which may mean that it refused the start. */
  #isAnswered = false;
  #errors = 0;

  constructor(names: RealtimeNames) {
    this.#names = names;
  }

  get state(): SessionState {
    return {
      input: { bytesPerSecond: pcmBytesPerSecond, detectsTurns: true },
      pendingResponses: 0,
      isPending: this.#phase === "starting" && !this.#isAnswered,
    };
  }

  /** Returns the message as one event without a type: no event of this format requests a billed response. */
  read(message: RealtimeMessage): readonly ClientEvent[] {
    return [{ message, type: undefined, input: noInput }];
  }

  open(): BridgedMessages {
    return { toClient: [], toVendor: [], seen: [] };
  }

  fromClient(message: RealtimeMessage): BridgedMessages {
    if (!message.binary && isPlainAudioEvent(message.data, audioEventStart))
      return { toClient: [], toVendor: [message], seen: [] };
    let event: JsonRecord | undefined;
    try {
      event = parseLiveEvent(message);
      return { toClient: [], toVendor: [this.#forward(event)], seen: [] };
    } catch (error) {
      const eventId = `event_${this.#names.sessionId}e${++this.#errors}`;
      return { toClient: [liveErrorEvent(asFailure(error), eventId, event?.["event_id"])], toVendor: [], seen: [] };
    }
  }

  fromVendor(message: RealtimeMessage): BridgedMessages {
    const type = message.binary ? undefined : eventType(message.data);
    switch (type) {
      case "session.started":
        this.#phase = "running";
        return { toClient: [this.#renamed(message)], toVendor: [], seen: [{ kind: "session-started" }] };
      case "session.updated":
        return { toClient: [this.#renamed(message)], toVendor: [], seen: [] };
      case "session.usage.updated":
        return { toClient: [message], toVendor: [], seen: usageIn(message, false) };
      case "session.closed":
        this.#phase = "closed";
        return { toClient: [this.#renamed(message)], toVendor: [], seen: usageIn(message, true) };
      case "error":
        this.#isAnswered = true;
        return { toClient: [message], toVendor: [], seen: [{ kind: "error" }] };
      case undefined:
      default:
        return { toClient: [message], toVendor: [], seen: [] };
    }
  }

  /** True before a start, and after one that the vendor may have refused. */
  get #mayStart(): boolean {
    return this.#phase === "new" || (this.#phase === "starting" && this.#isAnswered);
  }

  /**
   * Ends the session at the vendor. Also done if the start may have been refused: if it was not, the vendor would
   * charge it.
   */
  stop(): readonly RealtimeMessage[] {
    return this.#phase === "starting" || this.#phase === "running" ? [eventMessage({ type: "session.close" })] : [];
  }

  cancel(): readonly RealtimeMessage[] {
    return [];
  }

  /** Renders a client's event for the vendor, which then reads exactly what was checked. Throws Failure (400). */
  #forward(event: JsonRecord): RealtimeMessage {
    const { model, upstreamModel } = this.#names;
    const { type, session } = event;
    this.#names.checkStores?.(event);
    const requestedModel = asRecord(session)["model"];
    if (type === "session.start") {
      if (!this.#mayStart) throw new Failure("invalid_value", "The session has been started already.");
      if (requestedModel !== model) throw otherModel();
      checkLiveSettings(event);
      this.#phase = "starting";
      this.#isAnswered = false;
      return eventMessage({ ...event, session: { ...asRecord(session), model: upstreamModel } });
    }
    if (type === "session.update") {
      if (requestedModel !== undefined) throw otherModel();
      checkLiveSettings(event);
    }
    return eventMessage(event);
  }

  /** Returns a vendor's event with the client's name of the model. */
  #renamed(message: RealtimeMessage): RealtimeMessage {
    const { model, upstreamModel } = this.#names;
    const event = parseEvent(message.data);
    const session = event?.["session"];
    if (model === upstreamModel || !isRecord(session)) return message;
    return eventMessage({ ...event, session: { ...session, model } });
  }
}

function otherModel(): Failure {
  return new Failure("invalid_value", "The model of a session cannot be changed.", { param: "session.model" });
}

/** Returns the duration that a vendor's event reports: the sum since the start of the session. */
function usageIn({ data }: RealtimeMessage, isFinal: boolean): readonly SeenEvent[] {
  const { seconds } = asRecord(parseEvent(data)?.["usage"]);
  // A JSON number such as 1e999 is read as Infinity.
  const isAmount = typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0;
  return [{ kind: "session-usage", seconds: isAmount ? seconds : undefined, isFinal }];
}
