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
import { eventMessage, eventType, parseEvent, plainAudioLength, type RealtimeMessage } from "../hub/message.ts";
import { asFailure, Failure } from "@modelgate/contracts";
import { asRecord, isRecord, missingFailure, invalidFailure, type JsonRecord } from "@modelgate/formats/json";
import type { SeenEvent } from "../hub/inspect.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";

/** GPT-Live, billed by the second. No other wire can express its sessions. */
export const gptLive = {
  name: "gpt-live",
  pass: { bridge: (names) => new GptLiveBridge(names) },
} as const satisfies Wire<RealtimeVendor, RealtimeClient, RealtimeVendor>;

/** Connects a client to a vendor of GPT-Live. The session begins when the vendor confirms `session.start`. */
class GptLiveBridge implements RealtimeBridge {
  readonly vendorSpeaksFirst = true;
  readonly startedBy = "session.started";
  readonly #names: RealtimeNames;
  #bytesPerSecond = pcmBytesPerSecond;
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
    // The rate is limited: a client that states a higher rate would make its sound seem shorter than it is.
    const { format } = asRecord(session["audio"]);
    this.#bytesPerSecond = Math.min(pcmBytesPerSecond, bytesPerSecondOf(format));
    this.#isOpen = true;
    return eventMessage({ ...event, session: { ...session, model: this.#names.upstreamModel } });
  }

  /** Returns the client's message as one event. No event of this format requests a response that is billed. */
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

  /** Requests the end of the session, which may have started even if the vendor has not confirmed it. */
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

function usageIn({ data }: RealtimeMessage, isFinal: boolean): readonly SeenEvent[] {
  const { seconds } = asRecord(parseEvent(data)?.["usage"]);
  // A JSON number such as 1e999 is read as Infinity.
  const isAmount = typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0;
  return [{ kind: "session-usage", seconds: isAmount ? seconds : undefined, isFinal }];
}

function parseLiveEvent({ data, binary }: RealtimeMessage): JsonRecord {
  const event = binary ? undefined : parseEvent(data);
  if (event === undefined) throw new Failure("invalid_json", "The event is not a JSON object.");
  return event;
}

/** Returns the model of a client's first event. Throws Failure (400) for any other event. */
export function modelOfStart(message: RealtimeMessage): string {
  const event = parseLiveEvent(message);
  if (event["type"] !== "session.start") throw invalidFailure("type", "The first event must be session.start.");
  const { model } = asRecord(event["session"]);
  if (typeof model !== "string" || model === "") throw missingFailure("session.model", "session.model is missing.");
  checkLiveSettings(event);
  return model;
}

/** Refuses sessions that the vendor stores, and settings that let the vendor use further models, which have no price. */
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

export function isLiveAudio(data: Buffer): boolean {
  return plainAudioLength(data, appendType) !== undefined;
}

function liveAudioBytes({ data, binary }: RealtimeMessage): number {
  if (binary) return 0;
  const length = plainAudioLength(data, appendType);
  if (length !== undefined) return (length * 3) / 4;
  const { type, audio } = parseEvent(data) ?? {};
  return type === appendType && typeof audio === "string" ? (audio.length * 3) / 4 : 0;
}

/** Renders a failure as an `error` event. `causedBy` is the `event_id` of the client's event. */
export function liveErrorEvent(failure: Failure, eventId: string, causedBy?: unknown): RealtimeMessage {
  const cause = { client_event_id: typeof causedBy === "string" ? causedBy : undefined };
  const { kind, code, vendorCode, message } = failure;
  const param = failure.param === "model" ? "session.model" : failure.param;
  return eventMessage({
    type: "error",
    event_id: eventId,
    error: { type: kind.type, code: vendorCode ?? code, message, param, ...cause },
    ...cause,
  });
}
