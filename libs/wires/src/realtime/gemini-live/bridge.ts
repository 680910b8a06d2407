import { asFailure, Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { Bridged, RealtimeBridge, RealtimeNames } from "../bridge.ts";
import { errorEvent } from "../error-event.ts";
import { parseEvent } from "../look.ts";
import { eventMessage, type RealtimeMessage } from "../message.ts";
import { audioInput, PendingInput } from "./pending-input.ts";
import { ResponseWriter, type EventSink } from "./response-writer.ts";
import { changedSettings, firstSettings, isManual, setupOf, speaks, type Settings } from "./settings.ts";
import { responseUsage } from "./usage.ts";

/** Messages to the vendor that wait until it has taken the session's settings. */
const mostQueued = 2_048;

/**
 * A vendor that speaks Gemini's live format, to a client that speaks the realtime format. Its first message fixes the
 * session's settings, so it is sent with the client's first event; settings that come later must be the same.
 */
export function geminiLiveBridge(names: RealtimeNames): RealtimeBridge {
  return new GeminiLiveBridge(names);
}

class GeminiLiveBridge implements RealtimeBridge, EventSink {
  readonly greets = false;
  readonly transcriber = undefined;
  readonly #names: RealtimeNames;
  readonly #conversationId: string;
  readonly #pending = new PendingInput();
  /** Calls that the vendor made and waits for, by id. */
  readonly #calls = new Map<string, string>();
  #settings: Settings;
  #setup: "unsent" | "sent" | "taken" = "unsent";
  #sentSetup = "";
  /** Messages for the vendor, and updates of the client's, that wait until it has. */
  #queue: JsonRecord[] = [];
  #updates = 0;
  #response: ResponseWriter | undefined;
  #usage: unknown;
  /** Why the response that is under way will have ended early. */
  #stopped: "client_cancelled" | "turn_detected" | undefined;
  #heard: { readonly itemId: string; words: string } | undefined;
  #ids = 0;
  #toClient: RealtimeMessage[] = [];
  #toVendor: RealtimeMessage[] = [];

  constructor(names: RealtimeNames) {
    this.#names = names;
    this.#settings = firstSettings(names.model);
    this.#conversationId = `conv_${names.sessionId}`;
  }

  open(): Bridged {
    this.tell("session.created", { session: this.#session() });
    return this.#taken();
  }

  fromClient(message: RealtimeMessage): Bridged {
    const event = message.binary ? undefined : parseEvent(message.data);
    try {
      if (event === undefined) throw new Failure("invalid_json", "The event is not a JSON object.");
      const { type } = event;
      const handle = typeof type === "string" && Object.hasOwn(this.#on, type) ? this.#on[type] : undefined;
      if (handle === undefined)
        throw new Failure("unsupported_parameter", `This model takes no event ${JSON.stringify(type ?? null)}.`, {
          param: "type",
        });
      if (type !== "session.update") this.#begin();
      handle(event);
    } catch (error) {
      const cause = event?.["event_id"];
      this.#toClient.push(
        errorEvent(asFailure(error), this.newId("event"), typeof cause === "string" ? cause : undefined),
      );
    }
    return this.#taken();
  }

  fromVendor({ data }: RealtimeMessage): Bridged {
    const message = parseEvent(data);
    if (message === undefined) return this.#taken();
    // A message may tell its usage beside what it ends.
    if (isRecord(message["usageMetadata"])) this.#usage = message["usageMetadata"];
    if (message["setupComplete"] !== undefined) this.#setupTaken();
    if (isRecord(message["serverContent"])) this.#content(message["serverContent"]);
    if (isRecord(message["toolCall"])) this.#toolCall(message["toolCall"]);
    return this.#taken();
  }

  /** Content of the client's interrupts the vendor; there is no other word for it. */
  cancel(): readonly RealtimeMessage[] {
    return [eventMessage({ clientContent: { turns: [], turnComplete: false } })];
  }

  newId(prefix: string): string {
    return `${prefix}_${this.#names.sessionId}${(++this.#ids).toString(36)}`;
  }

  tell(type: string, members: JsonRecord): void {
    this.#toClient.push(eventMessage({ type, event_id: this.newId("event"), ...members }));
  }

  readonly #on: Readonly<Record<string, (event: JsonRecord) => void>> = {
    "session.update": ({ session }) => this.#update(isRecord(session) ? session : {}),
    "input_audio_buffer.append": ({ audio }) => {
      if (typeof audio !== "string") throw new Failure("invalid_value", "audio must be a string.", { param: "audio" });
      if (isManual(this.#settings)) this.#pending.hear(audio);
      else this.#say(audioInput(audio));
    },
    "input_audio_buffer.commit": () => {
      if (isManual(this.#settings)) this.#pending.commit();
      else this.#say({ realtimeInput: { audioStreamEnd: true } });
      const itemId = this.newId("item");
      this.tell("input_audio_buffer.committed", { previous_item_id: null, item_id: itemId });
      this.#added({ id: itemId, type: "message", role: "user", content: [{ type: "input_audio", transcript: null }] });
    },
    "input_audio_buffer.clear": () => {
      this.#pending.clear();
      this.tell("input_audio_buffer.cleared", {});
    },
    "conversation.item.create": ({ item }) => {
      if (!isRecord(item)) throw new Failure("missing_required_parameter", "item is missing.", { param: "item" });
      this.#pending.add(item, (callId) => this.#calls.get(callId));
      if (typeof item["call_id"] === "string") this.#calls.delete(item["call_id"]);
      this.#added({ ...item, id: item["id"] ?? this.newId("item") });
    },
    "conversation.item.truncate": ({ item_id: id, content_index: index, audio_end_ms: end }) =>
      // The vendor knows itself what of an interrupted answer was heard.
      this.tell("conversation.item.truncated", { item_id: id, content_index: index, audio_end_ms: end }),
    "response.create": ({ response }) => this.#ask(isRecord(response) ? response : {}),
    "response.cancel": () => {
      if (this.#response === undefined)
        throw new Failure("invalid_value", "There is no response to cancel.", {
          vendorCode: "response_cancel_not_active",
        });
      this.#stopped = "client_cancelled";
      this.#say({ clientContent: { turns: [], turnComplete: false } });
    },
  };

  #update(change: JsonRecord): void {
    const settings = changedSettings(this.#settings, change, this.#names.model);
    if (this.#setup !== "unsent" && JSON.stringify(setupOf(settings, this.#names.upstreamModel)) !== this.#sentSetup)
      throw new Failure("invalid_value", "The settings of this model are fixed by the first session.update.", {
        param: "session",
      });
    this.#settings = settings;
    this.#begin();
    if (this.#setup === "taken") this.tell("session.updated", { session: this.#session() });
    else this.#updates++;
  }

  #begin(): void {
    if (this.#setup !== "unsent") return;
    this.#setup = "sent";
    const setup = setupOf(this.#settings, this.#names.upstreamModel);
    this.#sentSetup = JSON.stringify(setup);
    this.#toVendor.push(eventMessage({ setup }));
  }

  #setupTaken(): void {
    this.#setup = "taken";
    for (; this.#updates > 0; this.#updates--) this.tell("session.updated", { session: this.#session() });
    this.#toVendor.push(...this.#queue.map(eventMessage));
    this.#queue = [];
  }

  #ask(wished: JsonRecord): void {
    if (this.#response !== undefined)
      throw new Failure("invalid_value", "Conversation already has an active response.", {
        vendorCode: "conversation_already_has_active_response",
      });
    for (const [name, value] of Object.entries(wished)) {
      const same = JSON.stringify(value) === JSON.stringify(this.#settings[name]);
      if (name === "metadata" || value === null || same || (name === "conversation" && value === "auto")) continue;
      const param = `response.${name}`;
      throw new Failure("unsupported_parameter", `${param} cannot be carried to the vendor of this model.`, { param });
    }
    for (const message of this.#pending.take()) this.#say(message);
    this.#respond(wished["metadata"]);
  }

  #content(content: JsonRecord): void {
    const { inputTranscription: heard, outputTranscription: spoken, modelTurn: turn } = content;
    if (isRecord(heard) && typeof heard["text"] === "string") this.#transcribe(heard["text"]);
    if (content["interrupted"] === true) this.#interrupted();
    const parts = isRecord(turn) && Array.isArray(turn["parts"]) ? turn["parts"].filter(isRecord) : [];
    for (const part of parts) this.#part(part);
    if (isRecord(spoken) && typeof spoken["text"] === "string") this.#respond().transcript(spoken["text"]);
    if (content["turnComplete"] === true) this.#ended();
  }

  #part({ text, thought, inlineData }: JsonRecord): void {
    if (thought === true) return;
    if (typeof text === "string") {
      if (speaks(this.#settings)) this.#respond().transcript(text);
      else this.#respond().text(text);
    }
    if (isRecord(inlineData) && typeof inlineData["data"] === "string") this.#respond().audio(inlineData["data"]);
  }

  /** Calls end a response: the client answers them, and asks on. */
  #toolCall({ functionCalls }: JsonRecord): void {
    const calls = Array.isArray(functionCalls) ? functionCalls.filter(isRecord) : [];
    for (const { id, name, args } of calls) {
      const callId = typeof id === "string" ? id : this.newId("call");
      this.#calls.set(callId, String(name));
      this.#respond().call({ id: callId, name: String(name), args });
    }
    this.#ended();
  }

  #transcribe(delta: string): void {
    this.#heard ??= { itemId: this.newId("item"), words: "" };
    this.#heard.words += delta;
    const place = { item_id: this.#heard.itemId, content_index: 0 };
    this.tell("conversation.item.input_audio_transcription.delta", { ...place, delta });
  }

  #transcribed(): void {
    if (this.#heard === undefined) return;
    const { itemId, words } = this.#heard;
    this.#heard = undefined;
    const type = "conversation.item.input_audio_transcription.completed";
    this.tell(type, { item_id: itemId, content_index: 0, transcript: words });
  }

  #interrupted(): void {
    if (this.#response === undefined || this.#stopped !== undefined) return;
    this.#stopped = "turn_detected";
    this.tell("input_audio_buffer.speech_started", { audio_start_ms: 0, item_id: this.newId("item") });
  }

  /** The response that is under way; the vendor may begin one by itself. */
  #respond(metadata?: unknown): ResponseWriter {
    if (this.#response !== undefined) return this.#response;
    this.#transcribed();
    const facts = { conversationId: this.#conversationId, spoken: speaks(this.#settings), metadata };
    this.#response = new ResponseWriter(this, facts);
    return this.#response;
  }

  #ended(): void {
    this.#transcribed();
    const response = this.#response;
    const stopped = this.#stopped;
    this.#response = undefined;
    this.#stopped = undefined;
    if (response === undefined) return;
    response.end(stopped === undefined ? "completed" : "cancelled", responseUsage(this.#usage), stopped);
    this.#usage = undefined;
  }

  #added(item: JsonRecord): void {
    const shown = { object: "realtime.item", status: "completed", ...item };
    for (const type of ["conversation.item.added", "conversation.item.done"])
      this.tell(type, { previous_item_id: null, item: shown });
  }

  /** To the vendor, once it has taken the settings. */
  #say(message: JsonRecord): void {
    if (this.#setup === "taken") this.#toVendor.push(eventMessage(message));
    else if (this.#queue.length < mostQueued) this.#queue.push(message);
    else throw new Failure("server_overloaded", "The vendor has not begun yet; wait for session.updated.");
  }

  #session(): JsonRecord {
    return { ...this.#settings, object: "realtime.session", id: `sess_${this.#names.sessionId}` };
  }

  #taken(): Bridged {
    const taken = { toClient: this.#toClient, toVendor: this.#toVendor };
    this.#toClient = [];
    this.#toVendor = [];
    return taken;
  }
}
