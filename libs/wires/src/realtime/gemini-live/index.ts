import { contentStoreDialect } from "../../text/content/sources.ts";
import type { Wire } from "../../wire.ts";
import type {
  RealtimeClient,
  RealtimeVendor,
  BridgedMessages,
  ClientEvent,
  RealtimeBridge,
  RealtimeNames,
  SessionState,
} from "../hub/bridge.ts";
import { eventMessage, parseEvent, type RealtimeMessage } from "../hub/message.ts";
import { LivePassBridge } from "./pass.ts";
import { GeminiLiveBridge } from "./vendor-bridge.ts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { inspectEvent } from "../hub/inspect.ts";
import { AnswerWriter } from "./client-answers.ts";
import { LiveEventConverter } from "./client-events.ts";
import { liveMessagesOf } from "./client-message.ts";
import { noHandleMessage, requestsHandles } from "./client-setup.ts";

/** Gemini's Live API. */
export const geminiLive = {
  name: "gemini-live",
  vendor: { bridge: (names) => new GeminiLiveBridge(names) },
  client: { bridge: (names, inner) => new LiveBridge(inner, names), stores: contentStoreDialect },
  pass: { bridge: (names) => new LivePassBridge(names) },
} as const satisfies Wire<RealtimeVendor, RealtimeClient, RealtimeVendor>;

/** Connects a Live API client to the realtime events of another vendor. */
class LiveBridge implements RealtimeBridge {
  readonly #inner: RealtimeBridge;
  readonly #writer = new AnswerWriter();
  readonly #events: LiveEventConverter;

  constructor(inner: RealtimeBridge, { allowsVendorTools, transcribers }: RealtimeNames) {
    this.#inner = inner;
    this.#events = new LiveEventConverter({
      allowsVendorTools,
      transcriber: transcribers.defaultName,
      isResponding: () => this.#writer.isResponding,
      answerCall: (id) => this.#writer.answerCall(id),
    });
  }

  get vendorSpeaksFirst(): boolean {
    return this.#inner.vendorSpeaksFirst;
  }

  /** A requested response is treated as in progress, because the vendor refuses another request before its end. */
  get state(): SessionState {
    const { state } = this.#inner;
    return { ...state, isResponding: this.#writer.isResponding || state.pendingResponses > 0 };
  }

  read(message: RealtimeMessage): readonly ClientEvent[] {
    const events = liveMessagesOf(message).flatMap((each) => this.#events.convert(each));
    const { setup } = this.#events;
    this.#writer.setTranscription({
      inputTranscription: isRecord(setup["inputAudioTranscription"]),
      outputTranscription: isRecord(setup["outputAudioTranscription"]),
    });
    return events.map((event) => ({ message: eventMessage(event), type: String(event["type"]) }));
  }

  open(): BridgedMessages {
    return this.#written(this.#inner.open());
  }

  fromClient(message: RealtimeMessage): BridgedMessages {
    return this.#written(this.#inner.fromClient(message));
  }

  fromVendor(message: RealtimeMessage): BridgedMessages {
    return this.#written(this.#inner.fromVendor(message));
  }

  stop(): readonly RealtimeMessage[] {
    return this.#inner.stop();
  }

  cancel(responseId: string): readonly RealtimeMessage[] {
    return this.#inner.cancel(responseId);
  }

  #written({ toClient, toVendor }: BridgedMessages): BridgedMessages {
    const messagesToClient = toClient.map(({ data, binary }) =>
      this.#writer.convert((binary ? undefined : parseEvent(data)) ?? {}),
    );
    const messages = messagesToClient.flatMap((each) => each.messages).flatMap((each) => this.#withSetup(each));
    const failure = messagesToClient.find((each) => each.failure !== undefined)?.failure;
    const bridged = { toClient: messages.map(eventMessage), toVendor, seen: toClient.map(inspectEvent) };
    return failure === undefined ? bridged : { ...bridged, failure };
  }

  #withSetup(message: JsonRecord): readonly JsonRecord[] {
    if (message["setupComplete"] === undefined) return [message];
    const { unsupported, setup } = this.#events;
    // The additional member is safe, because SDKs ignore unknown members.
    const ready = unsupported.length === 0 ? message : { setupComplete: { dropped: unsupported } };
    return requestsHandles(setup) ? [ready, noHandleMessage] : [ready];
  }
}
