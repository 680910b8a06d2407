import { asFailure, Failure } from "@modelgate/contracts";
import { refuseAmbiguous } from "../../json/ambiguous.ts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import {
  pcmBytesPerSecond,
  type Bridged,
  type InputFormat,
  type RealtimeBridge,
  type RealtimeNames,
} from "../bridge.ts";
import { Answers } from "./answers.ts";
import { audioInput, PendingInput } from "./pending-input.ts";
import type { LiveResponseSink } from "./response-writer.ts";
import { isManual, lostSettings, speaks } from "./settings.ts";
import { Setup } from "./setup.ts";
import { errorEvent, eventMessage, parseEvent, type RealtimeMessage } from "../message.ts";

/** Content of the client's interrupts the vendor; there is no other word for it. */
const interruption = { clientContent: { turns: [], turnComplete: false } };

/**
 * A vendor that speaks Gemini's live format, to a client that speaks the realtime format: what the client says becomes
 * the vendor's messages here, what the vendor says becomes events in `Answers`.
 */
export function geminiLiveBridge(names: RealtimeNames): RealtimeBridge {
  return new GeminiLiveBridge(names);
}

class GeminiLiveBridge implements RealtimeBridge, LiveResponseSink {
  readonly greets = false;
  readonly transcriber = undefined;
  /** The vendor writes by itself, as a part of its answers. */
  readonly nextTranscriber = undefined;
  /** A response is announced to the client as soon as it is asked for. */
  readonly responsesAsked = 0;
  readonly #sessionId: string;
  readonly #checkStores: RealtimeNames["checkStores"];
  readonly #setup: Setup;
  readonly #answers: Answers;
  readonly #pending = new PendingInput();
  /** The client has ended a turn, which the vendor answers by itself if it heard words in it. */
  #turnEnded = false;
  #stopped = false;
  #ids = 0;
  #toClient: RealtimeMessage[] = [];
  #toVendor: RealtimeMessage[] = [];

  constructor(names: RealtimeNames) {
    this.#sessionId = names.sessionId;
    this.#checkStores = names.checkStores;
    this.#setup = new Setup(names, {
      send: (message) => this.#toVendor.push(message),
      updated: () => this.#sendSession("session.updated"),
    });
    this.#answers = new Answers(this, {
      conversationId: `conv_${names.sessionId}`,
      speaks: () => speaks(this.#setup.settings),
    });
  }

  open(): Bridged {
    this.#sendSession("session.created");
    return this.#taken();
  }

  fromClient(message: RealtimeMessage): Bridged {
    const event = message.binary ? undefined : parseEvent(message.data);
    try {
      if (event === undefined) throw new Failure("invalid_json", "The event is not a JSON object.");
      // What the session looked at before it let the event through must be what is done here.
      refuseAmbiguous(message.data, ["type"]);
      const { type } = event;
      const handle = typeof type === "string" && Object.hasOwn(this.#on, type) ? this.#on[type] : undefined;
      if (handle === undefined)
        throw new Failure(
          "unsupported_parameter",
          `This model does not accept the event ${JSON.stringify(type ?? null)}.`,
          {
            param: "type",
          },
        );
      this.#checkStores?.(event);
      if (type !== "session.update") this.#setup.begin();
      handle(event, message.data.length);
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
    if (message !== undefined) {
      if (message["setupComplete"] !== undefined) this.#setup.taken();
      this.#answers.take(message);
    }
    return this.#taken();
  }

  get input(): InputFormat {
    return { bytesPerSecond: pcmBytesPerSecond, detectsTurns: !isManual(this.#setup.settings) };
  }

  get asked(): boolean {
    return this.#stopped && this.#turnEnded;
  }

  /** There is no word for it: what the vendor begins after all is interrupted. */
  stop(): readonly RealtimeMessage[] {
    this.#stopped = true;
    return [];
  }

  cancel(): readonly RealtimeMessage[] {
    return [eventMessage(interruption)];
  }

  newId(prefix: string): string {
    return `${prefix}_${this.#sessionId}${(++this.#ids).toString(36)}`;
  }

  send(type: string, members: JsonRecord): void {
    if (type === "response.created") this.#turnEnded = false;
    this.#toClient.push(eventMessage({ type, event_id: this.newId("event"), ...members }));
  }

  readonly #on: Readonly<Record<string, (event: JsonRecord, bytes: number) => void>> = {
    "session.update": ({ session }) => this.#setup.update(isRecord(session) ? session : {}),
    "input_audio_buffer.append": ({ audio }) => {
      if (typeof audio !== "string") throw new Failure("invalid_value", "audio must be a string.", { param: "audio" });
      if (isManual(this.#setup.settings)) this.#pending.hear(audio);
      else this.#setup.say(audioInput(audio));
    },
    "input_audio_buffer.commit": () => {
      if (isManual(this.#setup.settings)) this.#pending.commit();
      else {
        this.#setup.say({ realtimeInput: { audioStreamEnd: true } });
        this.#turnEnded = true;
      }
      const itemId = this.newId("item");
      this.send("input_audio_buffer.committed", { previous_item_id: null, item_id: itemId });
      this.#added({ id: itemId, type: "message", role: "user", content: [{ type: "input_audio", transcript: null }] });
    },
    "input_audio_buffer.clear": () => {
      this.#pending.clear();
      this.send("input_audio_buffer.cleared", {});
    },
    "conversation.item.create": ({ item }, bytes) => {
      if (!isRecord(item)) throw new Failure("missing_required_parameter", "item is missing.", { param: "item" });
      this.#pending.add(item, bytes, (callId) => this.#answers.nameOfCall(callId));
      if (typeof item["call_id"] === "string") this.#answers.callAnswered(item["call_id"]);
      this.#added({ ...item, id: item["id"] ?? this.newId("item") });
    },
    "conversation.item.truncate": ({ item_id: id, content_index: index, audio_end_ms: end }) =>
      // The vendor knows itself what of an interrupted answer was heard.
      this.send("conversation.item.truncated", { item_id: id, content_index: index, audio_end_ms: end }),
    "response.create": ({ response }) => this.#ask(isRecord(response) ? response : {}),
    "response.cancel": () => {
      if (!this.#answers.underWay)
        throw new Failure("invalid_value", "There is no response to cancel.", {
          vendorCode: "response_cancel_not_active",
        });
      this.#answers.cancelled();
      this.#setup.say(interruption);
    },
  };

  #ask(wished: JsonRecord): void {
    if (this.#answers.underWay)
      throw new Failure("invalid_value", "Conversation already has an active response.", {
        vendorCode: "conversation_already_has_active_response",
      });
    for (const [name, value] of Object.entries(wished)) {
      const same = JSON.stringify(value) === JSON.stringify(this.#setup.settings[name]);
      if (name === "metadata" || value === null || same || (name === "conversation" && value === "auto")) continue;
      const param = `response.${name}`;
      throw new Failure("unsupported_parameter", `${param} cannot be passed to the vendor of this model.`, { param });
    }
    for (const message of this.#pending.take()) this.#setup.say(message);
    this.#answers.begin(wished["metadata"]);
  }

  #added(item: JsonRecord): void {
    const shown = { object: "realtime.item", status: "completed", ...item };
    for (const type of ["conversation.item.added", "conversation.item.done"])
      this.send(type, { previous_item_id: null, item: shown });
  }

  #sendSession(type: "session.created" | "session.updated"): void {
    const session = { ...this.#setup.settings, object: "realtime.session", id: `sess_${this.#sessionId}` };
    const dropped = lostSettings(this.#setup.settings);
    // The format has no word for what is lost; SDKs pass over members that they do not know.
    this.send(type, dropped.length === 0 ? { session } : { session, dropped });
  }

  #taken(): Bridged {
    const taken = { toClient: this.#toClient, toVendor: this.#toVendor };
    this.#toClient = [];
    this.#toVendor = [];
    return taken;
  }
}
