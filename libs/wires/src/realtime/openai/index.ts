import { asFailure, Failure, withoutUndefined } from "@modelgate/contracts";
import { refuseAmbiguous, refuseDuplicatesInTurns, isRecord, asRecord, runToEnd } from "@modelgate/formats/json";
import type { JsonRecord } from "@modelgate/formats/json";
import { bytesPerSecondOf, pcmBytesPerSecond } from "../hub/bridge.ts";
import type {
  BridgedMessages,
  RealtimeBridge,
  RealtimeClient,
  RealtimeNames,
  RealtimeVendor,
  SessionState,
  InputFormat,
} from "../hub/bridge.ts";
import { errorEvent, eventMessage, eventType, parseEvent, plainAudioLength } from "../hub/message.ts";
import type { RealtimeMessage } from "../hub/message.ts";
import type { Wire } from "../../wire.ts";
import { PendingRequests } from "./vendor-requests.ts";
import { TranscriberSetting, replaceName, type ConvertedUpdate } from "./vendor-transcriber.ts";

/** The realtime format, which is also the neutral form of sessions. */
export const realtime = {
  name: "realtime",
  vendor: { bridge: (names) => new OpenaiBridge(names) },
  client: {
    bridge: (_, inner) => inner,
    stores: { opaque: ["parameters", "schema", "json_schema", "metadata", "arguments"] },
  },
} as const satisfies Wire<RealtimeVendor, RealtimeClient>;

/** Client events that set up a session, in the current and the older format. */
const updateEvents: ReadonlySet<unknown> = new Set(["session.update", "transcription_session.update"]);
const sessionEvents: ReadonlySet<string> = new Set(
  "session.created session.updated transcription_session.created transcription_session.updated".split(" "),
);
const modelPath = ["session", "model"];

/** Connects a client and a vendor of the realtime format. The model of a session cannot change. */
export class OpenaiBridge implements RealtimeBridge {
  readonly vendorSpeaksFirst = true;
  readonly #names: RealtimeNames;
  readonly #renamed: boolean;
  readonly #transcriber: TranscriberSetting;
  readonly #input = new InputFormatTracker();
  readonly #pending = new PendingRequests();
  #errors = 0;

  constructor(names: RealtimeNames) {
    this.#names = names;
    this.#renamed = names.model !== names.upstreamModel;
    this.#transcriber = new TranscriberSetting(names.transcribers);
  }

  get state(): SessionState {
    return {
      input: this.#input.format,
      transcriber: this.#transcriber.current,
      nextTranscriber: this.#transcriber.next,
      pendingResponses: this.#pending.responses,
      isPending: this.#pending.hasAny,
    };
  }

  open(): BridgedMessages {
    return { toClient: [], toVendor: [] };
  }

  fromClient(message: RealtimeMessage): BridgedMessages {
    // Most messages are audio, and are not parsed.
    if (isPlainAudio(message.data)) {
      this.#pending.addSpeech();
      return { toClient: [], toVendor: [message] };
    }
    const event = parseEvent(message.data);
    // A message that the gateway cannot parse is refused, because the vendor may be able to parse it.
    if (event === undefined) return this.#refuse(new Failure("invalid_json", "The event is not a JSON object."));
    try {
      // Duplicate members are refused, because the vendor may read a different one than the gateway.
      refuseAmbiguous(message.data, ["type", "session", "response", "item"]);
      runToEnd(refuseDuplicatesInTurns(message.data, event));
      this.#names.checkStores?.(event);
      if (!this.#names.allowsVendorTools) refuseVendorTools(event);
      const forwarded = updateEvents.has(event["type"])
        ? this.#updated(message, event)
        : { message, refused: undefined };
      this.#pending.add(event);
      const { refused } = forwarded;
      const toClient = refused === undefined ? [] : this.#refuse(refused, event["event_id"]).toClient;
      return { toClient, toVendor: [forwarded.message] };
    } catch (error) {
      return this.#refuse(asFailure(error), event["event_id"]);
    }
  }

  fromVendor(message: RealtimeMessage): BridgedMessages {
    const type = message.binary ? undefined : eventType(message.data);
    this.#pending.answer(type, message.data);
    return { toClient: [sessionEvents.has(type ?? "") ? this.#shown(message) : message], toVendor: [] };
  }

  stop(): readonly RealtimeMessage[] {
    if (!this.#pending.hasAny && !this.#pending.hasSpeech) return [];
    // The vendor confirms this event only after it has handled all earlier events.
    const last = { type: "input_audio_buffer.clear", event_id: `event_${this.#names.sessionId}last` };
    this.#pending.add(last);
    return [eventMessage(last)];
  }

  cancel(responseId: string): readonly RealtimeMessage[] {
    return [eventMessage({ type: "response.cancel", response_id: responseId })];
  }

  #updated(message: RealtimeMessage, { session }: JsonRecord): ConvertedUpdate {
    if (!isRecord(session)) return { message, refused: undefined };
    const { model, upstreamModel } = this.#names;
    const requestedModel = session["model"] ?? undefined;
    if (requestedModel !== undefined && requestedModel !== model)
      throw new Failure("invalid_value", "The model of a session cannot be changed.", { param: "session.model" });
    const update = this.#transcriber.request(message, session);
    this.#input.request(session);
    return this.#renamed ? { ...update, message: replaceName(update.message, modelPath, upstreamModel) } : update;
  }

  #shown(message: RealtimeMessage): RealtimeMessage {
    const session = parseEvent(message.data)?.["session"];
    if (!isRecord(session)) return message;
    const renamed = this.#transcriber.report(message, session);
    this.#input.report(session);
    return this.#renamed ? replaceName(renamed, modelPath, this.#names.model) : renamed;
  }

  #refuse(failure: Failure, causedBy?: unknown): BridgedMessages {
    const eventId = `event_${this.#names.sessionId}e${++this.#errors}`;
    return { toClient: [errorEvent(failure, eventId, causedBy)], toVendor: [] };
  }
}

export function isPlainAudio(data: Buffer): boolean {
  return plainAudioLength(data, "input_audio_buffer.append") !== undefined;
}

const settingsMembers = ["session", "response"] as const;

/** Refuses tools other than functions, because the vendor runs them and they have no price. */
function refuseVendorTools(event: JsonRecord): void {
  for (const name of settingsMembers) {
    const { tools } = asRecord(event[name]);
    const listed: readonly unknown[] = Array.isArray(tools) ? tools : [tools];
    const index = listed.findIndex((tool) => isRecord(tool) && (tool["type"] ?? "function") !== "function");
    if (index < 0) continue;
    const param = Array.isArray(tools) ? `${name}.tools[${index}]` : `${name}.tools`;
    throw new Failure(
      "unsupported_parameter",
      `${param} is a tool that the vendor runs, but this model has no price for it. Leave it out, or ask the operator to allow it.`,
      { param },
    );
  }
}

/**
 * Tracks the requested and the confirmed audio format. The lower rate of both is used, so that audio is not billed as
 * shorter than it is.
 */
class InputFormatTracker {
  #requested: Partial<InputFormat> = {};
  #reported: Partial<InputFormat> = {};

  get format(): InputFormat {
    const rates = [this.#requested.bytesPerSecond, this.#reported.bytesPerSecond].filter((rate) => rate !== undefined);
    return {
      bytesPerSecond: rates.length === 0 ? pcmBytesPerSecond : Math.min(...rates),
      detectsTurns: this.#requested.detectsTurns === true || (this.#reported.detectsTurns ?? true),
    };
  }

  request(session: JsonRecord): void {
    this.#requested = { ...this.#requested, ...readInputFormat(session) };
  }

  report(session: JsonRecord): void {
    this.#reported = { ...this.#reported, ...readInputFormat(session) };
  }
}

function readInputFormat(session: JsonRecord): Partial<InputFormat> {
  const input = asRecord(asRecord(session["audio"])["input"]);
  const format = input["format"] ?? session["input_audio_format"] ?? undefined;
  const detection = "turn_detection" in input ? input["turn_detection"] : session["turn_detection"];
  return withoutUndefined({
    bytesPerSecond: format === undefined ? undefined : bytesPerSecondOf(format),
    detectsTurns: detection === undefined ? undefined : detection !== null,
  });
}
