import { asFailure, Failure } from "@modelgate/contracts";
import {
  refuseAmbiguous,
  invalidFailure,
  isRecord,
  missingFailure,
  ownEntry,
  asRecord,
  type JsonRecord,
} from "@modelgate/formats/json";
import { unsupportedFailure } from "../../text/hub/request.ts";
import { pcmBytesPerSecond } from "../hub/bridge.ts";
import type { BridgedMessages, RealtimeBridge, RealtimeNames, SessionState } from "../hub/bridge.ts";
import { unsupportedByVendor, errorEvent, eventMessage, parseEvent, type RealtimeMessage } from "../hub/message.ts";
import { LiveAnswerConverter } from "./vendor-answers.ts";
import { LiveItems } from "./vendor-items.ts";
import { audioInput, PendingInput } from "./vendor-input.ts";
import type { LiveResponseSink } from "./vendor-response.ts";
import { sessionMarksTurns, lostSettings, isSpoken } from "./vendor-settings.ts";
import { LiveSetup } from "./vendor-setup.ts";

/** The format has no message for interruptions; empty content interrupts the vendor. */
export const interruptMessage = { clientContent: { turns: [], turnComplete: false } };

/** Connects a realtime client to a vendor of the Live API. */
export class GeminiLiveBridge implements RealtimeBridge, LiveResponseSink {
  readonly vendorSpeaksFirst = false;
  readonly #sessionId: string;
  readonly #checkStores: RealtimeNames["checkStores"];
  readonly #setup: LiveSetup;
  readonly #answers: LiveAnswerConverter;
  readonly #items = new LiveItems(this);
  readonly #pending = new PendingInput();
  /** True if the client has ended a turn of speech, which the vendor answers without a request. */
  #turnEnded = false;
  #stopped = false;
  #ids = 0;
  #toClient: RealtimeMessage[] = [];
  #toVendor: RealtimeMessage[] = [];

  constructor(names: RealtimeNames) {
    this.#sessionId = names.sessionId;
    this.#checkStores = names.checkStores;
    this.#setup = new LiveSetup(names, {
      send: (message) => this.#toVendor.push(message),
      updated: () => this.#sendSession("session.updated"),
    });
    const conversationId = `conv_${names.sessionId}`;
    this.#answers = new LiveAnswerConverter(this, this.#items, conversationId, () => isSpoken(this.#setup.settings));
  }

  open(): BridgedMessages {
    this.#sendSession("session.created");
    return this.#takeMessages();
  }

  fromClient(message: RealtimeMessage): BridgedMessages {
    const event = message.binary ? undefined : parseEvent(message.data);
    try {
      if (event === undefined) throw new Failure("invalid_json", "The event is not a JSON object.");
      // Duplicate members are refused, because the vendor may read a different one than the gateway.
      refuseAmbiguous(message.data, ["type"]);
      const { type } = event;
      const handle = typeof type === "string" ? ownEntry(this.#on, type) : undefined;
      if (handle === undefined)
        throw unsupportedFailure("type", `This model does not accept the event ${JSON.stringify(type ?? null)}.`);
      this.#checkStores?.(event);
      if (type !== "session.update") this.#setup.begin();
      handle(event, message.data.length);
    } catch (error) {
      this.#toClient.push(errorEvent(asFailure(error), this.newId("event"), event?.["event_id"]));
    }
    return this.#takeMessages();
  }

  fromVendor({ data }: RealtimeMessage): BridgedMessages {
    const message = parseEvent(data);
    if (message !== undefined) {
      if (message["setupComplete"] !== undefined) this.#setup.confirm();
      this.#answers.convert(message);
    }
    return this.#takeMessages();
  }

  get state(): SessionState {
    return {
      input: { bytesPerSecond: pcmBytesPerSecond, detectsTurns: !sessionMarksTurns(this.#setup.settings) },
      // The client learns at once that a requested response has begun.
      pendingResponses: 0,
      isPending: this.#stopped && this.#turnEnded,
    };
  }

  /** The vendor answers an ended turn in any case. The caller cancels that answer. */
  stop(): readonly RealtimeMessage[] {
    this.#stopped = true;
    return [];
  }

  cancel(): readonly RealtimeMessage[] {
    return [eventMessage(interruptMessage)];
  }

  newId(prefix: string): string {
    return `${prefix}_${this.#sessionId}${(++this.#ids).toString(36)}`;
  }

  send(type: string, members: JsonRecord): void {
    if (type === "response.created") this.#turnEnded = false;
    if (type.startsWith("response.output_item.")) this.#items.keep(asRecord(members["item"]));
    this.#toClient.push(eventMessage({ type, event_id: this.newId("event"), ...members }));
  }

  readonly #on: Readonly<Record<string, (event: JsonRecord, bytes: number) => void>> = {
    "session.update": ({ session }) => this.#setup.update(asRecord(session)),
    "input_audio_buffer.append": ({ audio }) => {
      if (typeof audio !== "string") throw invalidFailure("audio", "audio must be a string.");
      if (sessionMarksTurns(this.#setup.settings)) this.#pending.addAudio(audio);
      else this.#setup.send(audioInput(audio));
    },
    "input_audio_buffer.commit": () => {
      const isDetected = !sessionMarksTurns(this.#setup.settings);
      if (isDetected) {
        this.#setup.send({ realtimeInput: { audioStreamEnd: true } });
        this.#turnEnded = true;
      } else this.#pending.commit();
      // During an answer, the open transcript is that of the answered turn.
      this.#items.commit({ mayHaveBegun: isDetected && !this.#answers.isResponding });
    },
    "input_audio_buffer.clear": () => {
      this.#pending.clear();
      this.send("input_audio_buffer.cleared", {});
    },
    "conversation.item.create": ({ item }, bytes) => {
      if (!isRecord(item)) throw missingFailure("item", "item is missing.");
      this.#pending.add(item, bytes, (callId) => this.#answers.nameOfCall(callId));
      if (typeof item["call_id"] === "string") this.#answers.callAnswered(item["call_id"]);
      const id = item["id"] ?? this.newId("item");
      this.#items.announce({ object: "realtime.item", status: "completed", ...item, id });
    },
    "conversation.item.retrieve": ({ item_id: id }) => {
      const item = this.#items.retrieve(id);
      if (item === undefined)
        throw invalidFailure("item_id", "item_id must be one of the last spoken turns or outputs of the session.");
      this.send("conversation.item.retrieved", { item });
    },
    "conversation.item.truncate": ({ item_id: id, content_index: index, audio_end_ms: end }) =>
      // The vendor itself tracks how much of an answer was played.
      this.send("conversation.item.truncated", { item_id: id, content_index: index, audio_end_ms: end }),
    "response.create": ({ response }) => this.#createResponse(asRecord(response)),
    "response.cancel": () => {
      if (!this.#answers.isResponding)
        throw new Failure("invalid_value", "There is no response to cancel.", {
          vendorCode: "response_cancel_not_active",
        });
      this.#answers.cancel();
      this.#setup.send(interruptMessage);
    },
  };

  #createResponse(response: JsonRecord): void {
    if (this.#answers.isResponding)
      throw new Failure("invalid_value", "Conversation already has an active response.", {
        vendorCode: "conversation_already_has_active_response",
      });
    for (const [name, value] of Object.entries(response)) {
      const same = JSON.stringify(value) === JSON.stringify(this.#setup.settings[name]);
      if (name === "metadata" || value === null || same || (name === "conversation" && value === "auto")) continue;
      throw unsupportedByVendor(`response.${name}`);
    }
    for (const message of this.#pending.take()) this.#setup.send(message);
    this.#answers.begin(response["metadata"]);
  }

  #sendSession(type: "session.created" | "session.updated"): void {
    const session = { ...this.#setup.settings, object: "realtime.session", id: `sess_${this.#sessionId}` };
    const dropped = lostSettings(this.#setup.settings);
    // The additional member is safe, because SDKs ignore unknown members.
    this.send(type, dropped.length === 0 ? { session } : { session, dropped });
  }

  #takeMessages(): BridgedMessages {
    const messages = { toClient: this.#toClient, toVendor: this.#toVendor };
    this.#toClient = [];
    this.#toVendor = [];
    return messages;
  }
}
