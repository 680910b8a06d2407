import type { Wire } from "../../wire.ts";
import { bytesPerSecondOf, pcmBytesPerSecond } from "../hub/bridge.ts";
import type {
  RealtimeClient,
  RealtimeVendor,
  BridgedMessages,
  ClientEvent,
  RealtimeBridge,
  RealtimeNames,
  SessionState,
} from "../hub/bridge.ts";
import { eventMessage, eventType, parseEvent, isPlainAudioEvent, type RealtimeMessage } from "../hub/message.ts";
import { asFailure, Failure } from "@modelgate/contracts";
import { asRecord, isRecord, missingFailure, invalidFailure, type JsonRecord } from "@modelgate/formats/json";
import type { SeenEvent } from "../hub/inspect.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";

/** Sessions of GPT-Live. They are billed by the second, and have no turns that another wire could express. */
export const gptLive = {
  name: "gpt-live",
  pass: { bridge: (names) => new GptLiveBridge(names) },
} as const satisfies Wire<RealtimeVendor, RealtimeClient, RealtimeVendor>;

/**
 * Connects a client and a vendor of GPT-Live. The client's events are parsed, checked and rendered again; audio and the
 * vendor's messages without a model are forwarded unchanged. Replaces the model's name, and reads the reported seconds.
 * The vendor must confirm the client's `session.start` before the session begins, so that a vendor that refuses it can be
 * replaced.
 */
class GptLiveBridge implements RealtimeBridge {
  readonly greets = true;
  readonly startedBy = "session.started";
  readonly #names: RealtimeNames;
  #bytesPerSecond = pcmBytesPerSecond;
  /** True from the start until the vendor has ended the session. */
  #isOpen = false;
  #errors = 0;

  constructor(names: RealtimeNames) {
    this.#names = names;
  }

  get state(): SessionState {
    return {
      input: { bytesPerSecond: this.#bytesPerSecond, detectsTurns: true },
      pendingResponses: 0,
      isPending: false,
    };
  }

  start(message: RealtimeMessage): RealtimeMessage {
    const event = parseLiveEvent(message);
    this.#names.checkStores?.(event);
    const session = asRecord(event["session"]);
    // No format has a higher rate than PCM. If a client could state one, its sound would count as too short.
    const { format } = asRecord(session["audio"]);
    this.#bytesPerSecond = Math.min(pcmBytesPerSecond, bytesPerSecondOf(format));
    this.#isOpen = true;
    return eventMessage({ ...event, session: { ...session, model: this.#names.upstreamModel } });
  }

  /** Returns the message as one event without a type: no event of this format requests a billed response. */
  read(message: RealtimeMessage): readonly ClientEvent[] {
    return [{ message, type: undefined, input: { audioBytes: liveAudioBytes(message), textBytes: 0 } }];
  }

  open(): BridgedMessages {
    return { toClient: [], toVendor: [], seen: [] };
  }

  fromClient(message: RealtimeMessage): BridgedMessages {
    if (!message.binary && isLiveAudio(message.data)) return { toClient: [], toVendor: [message], seen: [] };
    let event: JsonRecord | undefined;
    try {
      event = parseLiveEvent(message);
      this.#check(event);
      // The vendor reads exactly what was checked.
      return { toClient: [], toVendor: [eventMessage(event)], seen: [] };
    } catch (error) {
      const eventId = `event_${this.#names.sessionId}e${++this.#errors}`;
      return { toClient: [liveErrorEvent(asFailure(error), eventId, event?.["event_id"])], toVendor: [], seen: [] };
    }
  }

  fromVendor(message: RealtimeMessage): BridgedMessages {
    const type = message.binary ? undefined : eventType(message.data);
    switch (type) {
      case "session.started":
      case "session.updated":
        return { toClient: [this.#renamed(message)], toVendor: [], seen: [] };
      case "session.usage.updated":
        return { toClient: [message], toVendor: [], seen: usageIn(message, false) };
      case "session.closed":
        this.#isOpen = false;
        return { toClient: [this.#renamed(message)], toVendor: [], seen: usageIn(message, true) };
      case "error":
        return { toClient: [message], toVendor: [], seen: [{ kind: "error" }] };
      case undefined:
      default:
        return { toClient: [message], toVendor: [], seen: [] };
    }
  }

  /** Ends the session at the vendor, even before the vendor's confirmation: the session may already have started. */
  stop(): readonly RealtimeMessage[] {
    return this.#isOpen ? [eventMessage({ type: "session.close" })] : [];
  }

  cancel(): readonly RealtimeMessage[] {
    return [];
  }

  #check(event: JsonRecord): void {
    this.#names.checkStores?.(event);
    if (event["type"] === "session.start")
      throw new Failure("invalid_value", "The session has been started already.", { param: "type" });
    if (event["type"] !== "session.update") return;
    if (asRecord(event["session"])["model"] !== undefined)
      throw new Failure("invalid_value", "The model of a session cannot be changed.", { param: "session.model" });
    checkLiveSettings(event);
  }

  #renamed(message: RealtimeMessage): RealtimeMessage {
    const { model, upstreamModel } = this.#names;
    const event = parseEvent(message.data);
    const session = event?.["session"];
    if (model === upstreamModel || !isRecord(session)) return message;
    return eventMessage({ ...event, session: { ...session, model } });
  }
}

/** Returns the duration that a vendor's event reports: the sum since the start of the session. */
function usageIn({ data }: RealtimeMessage, isFinal: boolean): readonly SeenEvent[] {
  const { seconds } = asRecord(parseEvent(data)?.["usage"]);
  // A JSON number such as 1e999 is read as Infinity.
  const isAmount = typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0;
  return [{ kind: "session-usage", seconds: isAmount ? seconds : undefined, isFinal }];
}

/** Reads a client's event. Throws Failure for a message that is not a JSON object in a text frame. */
function parseLiveEvent({ data, binary }: RealtimeMessage): JsonRecord {
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
function checkLiveSettings({ session }: JsonRecord): void {
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

function liveAudioBytes({ data, binary }: RealtimeMessage): number {
  if (binary) return 0;
  if (isLiveAudio(data)) return ((data.length - audioEventStart.length) * 3) / 4;
  const { type, audio } = parseEvent(data) ?? {};
  return type === appendType && typeof audio === "string" ? (audio.length * 3) / 4 : 0;
}

/** Renders a failure as an `error` event. `causedBy` is the `event_id` of the client's event that failed. */
export function liveErrorEvent(failure: Failure, eventId: string, causedBy?: unknown): RealtimeMessage {
  const cause = { client_event_id: typeof causedBy === "string" ? causedBy : undefined };
  const { kind, code, vendorCode, message } = failure;
  // Failures of the catalog name the field as other formats do, without `session`.
  const param = failure.param === "model" ? "session.model" : failure.param;
  // Members without a value are not written.
  return eventMessage({
    type: "error",
    event_id: eventId,
    error: { type: kind.type, code: vendorCode ?? code, message, param, ...cause },
    ...cause,
  });
}
