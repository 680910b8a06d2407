import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { Bridged, ClientEvent, InputFormat, RealtimeBridge, RealtimeNames, Transcriber } from "../bridge.ts";
import { inspectEvent } from "../inspect.ts";
import { eventMessage, parseEvent, type RealtimeMessage } from "../message.ts";
import { AnswerWriter } from "./answer-writer.ts";
import { noHandles, wantsHandles } from "./check-setup.ts";
import { EventsOf } from "./events-of.ts";
import { liveMessagesOf } from "./message.ts";

/** A live client before a bridge of the realtime format: what goes through is in that format, and charged by it. */
export function liveBridgeOver(inner: RealtimeBridge, names: RealtimeNames): RealtimeBridge {
  return new LiveBridge(inner, names);
}

class LiveBridge implements RealtimeBridge {
  readonly #inner: RealtimeBridge;
  readonly #writer = new AnswerWriter();
  readonly #events: EventsOf;

  constructor(inner: RealtimeBridge, { vendorTools, transcribers }: RealtimeNames) {
    this.#inner = inner;
    this.#events = new EventsOf({
      vendorTools,
      transcriber: transcribers.usual,
      isResponding: () => this.#writer.isResponding,
      answered: (id) => this.#writer.answered(id),
    });
  }

  get greets(): boolean {
    return this.#inner.greets;
  }

  get transcriber(): Transcriber | undefined {
    return this.#inner.transcriber;
  }

  get nextTranscriber(): Transcriber | undefined {
    return this.#inner.nextTranscriber;
  }

  get responsesAsked(): number {
    return this.#inner.responsesAsked;
  }

  get input(): InputFormat {
    return this.#inner.input;
  }

  get asked(): boolean {
    return this.#inner.asked;
  }

  /** A response that was asked for counts before it begins: the vendor refuses another one. */
  get isResponding(): boolean {
    return this.#writer.isResponding || this.#inner.responsesAsked > 0;
  }

  read(message: RealtimeMessage): readonly ClientEvent[] {
    const events = liveMessagesOf(message).flatMap((said) => this.#events.of(said));
    const { setup } = this.#events;
    this.#writer.show({
      inputTranscription: isRecord(setup["inputAudioTranscription"]),
      outputTranscription: isRecord(setup["outputAudioTranscription"]),
    });
    return events.map((event) => ({ message: eventMessage(event), type: String(event["type"]) }));
  }

  open(): Bridged {
    return this.#written(this.#inner.open());
  }

  fromClient(message: RealtimeMessage): Bridged {
    return this.#written(this.#inner.fromClient(message));
  }

  fromVendor(message: RealtimeMessage): Bridged {
    return this.#written(this.#inner.fromVendor(message));
  }

  stop(): readonly RealtimeMessage[] {
    return this.#inner.stop();
  }

  cancel(responseId: string): readonly RealtimeMessage[] {
    return this.#inner.cancel(responseId);
  }

  #written({ toClient, toVendor }: Bridged): Bridged {
    const written = toClient.map((message) => this.#writer.take(eventIn(message)));
    const messages = written.flatMap((each) => each.messages).flatMap((each) => this.#begun(each));
    const failure = written.find((each) => each.failure !== undefined)?.failure;
    const bridged = { toClient: messages.map(eventMessage), toVendor, seen: toClient.map(inspectEvent) };
    return failure === undefined ? bridged : { ...bridged, failure };
  }

  /** The setup's confirmation names the settings that the vendor lacks, and says that no handles are given out. */
  #begun(message: JsonRecord): readonly JsonRecord[] {
    if (message["setupComplete"] === undefined) return [message];
    const { lost, setup } = this.#events;
    // The format has no word for it; SDKs pass over members that they do not know.
    const ready = lost.length === 0 ? message : { setupComplete: { dropped: lost } };
    return wantsHandles(setup) ? [ready, noHandles] : [ready];
  }
}

function eventIn({ data, binary }: RealtimeMessage): JsonRecord {
  return (binary ? undefined : parseEvent(data)) ?? {};
}
