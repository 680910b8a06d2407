import { asFailure, Failure } from "@modelgate/contracts";
import { refuseAmbiguous } from "../../json/ambiguous.ts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { refuseTwice } from "../../json/twice.ts";
import {
  nothing,
  type Bridged,
  type InputFormat,
  type RealtimeBridge,
  type RealtimeNames,
  type Transcriber,
} from "../bridge.ts";
import { errorEvent } from "../error-event.ts";
import { eventType, parseEvent } from "../inspect.ts";
import { eventMessage, type RealtimeMessage } from "../message.ts";
import { Asked } from "./asked.ts";
import { InputSetting } from "./input-setting.ts";
import { isPlainAudio } from "./plain-audio.ts";
import { refuseVendorTools } from "./vendor-tools.ts";
import { TranscriberSetting, type AskedUpdate } from "./transcriber-setting.ts";
import { withName } from "./with-name.ts";

/** What a client sets a session up with, and what the vendor answers; the older form has events of its own. */
const updates: ReadonlySet<unknown> = new Set(["session.update", "transcription_session.update"]);
const sessionEvents: ReadonlySet<string> = new Set([
  "session.created",
  "session.updated",
  "transcription_session.created",
  "transcription_session.updated",
]);
const modelPath = ["session", "model"];

/**
 * A vendor of the client's own format: every message passes as it came. The names of models alone are replaced, where
 * they stand in a session and differ; a client that wants another model than the session's is refused, since the
 * session's price and channel are its model's.
 */
export function openaiBridge(names: RealtimeNames): RealtimeBridge {
  return new OpenaiBridge(names);
}

class OpenaiBridge implements RealtimeBridge {
  readonly greets = true;
  readonly #names: RealtimeNames;
  readonly #renamed: boolean;
  readonly #transcriber: TranscriberSetting;
  readonly #input = new InputSetting();
  readonly #asked = new Asked();
  #errors = 0;

  constructor(names: RealtimeNames) {
    this.#names = names;
    this.#renamed = names.model !== names.upstreamModel;
    this.#transcriber = new TranscriberSetting(names.transcribers);
  }

  get transcriber(): Transcriber | undefined {
    return this.#transcriber.current;
  }

  get nextTranscriber(): Transcriber | undefined {
    return this.#transcriber.next;
  }

  get responsesAsked(): number {
    return this.#asked.responses;
  }

  get input(): InputFormat {
    return this.#input.format;
  }

  get asked(): boolean {
    return this.#asked.any;
  }

  open(): Bridged {
    return nothing;
  }

  fromClient(message: RealtimeMessage): Bridged {
    // Audio is most of what comes, and says nothing that is looked for.
    if (isPlainAudio(message.data)) {
      this.#asked.heard();
      return { toClient: [], toVendor: [message] };
    }
    const event = parseEvent(message.data);
    // In a binary frame too: what cannot be read here, in another encoding say, a vendor may still work on.
    if (event === undefined) return this.#refuse(new Failure("invalid_json", "The event is not a JSON object."));
    try {
      // What is checked here must be what the vendor reads.
      refuseAmbiguous(message.data, ["type", "session", "response", "item"]);
      refuseTwice(message.data, event);
      this.#names.checkStores?.(event);
      if (!this.#names.vendorTools) refuseVendorTools(event);
      const update = updates.has(event["type"]) ? this.#updated(message, event) : { message, refused: undefined };
      this.#asked.sent(event);
      const { refused } = update;
      const toClient = refused === undefined ? [] : this.#refuse(refused, event["event_id"]).toClient;
      return { toClient, toVendor: [update.message] };
    } catch (error) {
      return this.#refuse(asFailure(error), event["event_id"]);
    }
  }

  fromVendor(message: RealtimeMessage): Bridged {
    const type = message.binary ? undefined : eventType(message.data);
    this.#asked.seen(type, message.data);
    return { toClient: [sessionEvents.has(type ?? "") ? this.#shown(message) : message], toVendor: [] };
  }

  stop(): readonly RealtimeMessage[] {
    if (!this.#asked.any && !this.#asked.hears) return [];
    // The answer comes after those to everything before it, and of an empty buffer no turn is made.
    const last = { type: "input_audio_buffer.clear", event_id: `event_${this.#names.sessionId}last` };
    this.#asked.sent(last);
    return [eventMessage(last)];
  }

  cancel(responseId: string): readonly RealtimeMessage[] {
    return [eventMessage({ type: "response.cancel", response_id: responseId })];
  }

  /** An update of the session's settings in the vendor's names. Throws Failure for models that cannot be used. */
  #updated(message: RealtimeMessage, { session }: JsonRecord): AskedUpdate {
    if (!isRecord(session)) return { message, refused: undefined };
    const { model, upstreamModel } = this.#names;
    const wanted = session["model"] ?? undefined;
    if (wanted !== undefined && wanted !== model)
      throw new Failure("invalid_value", "The model of a session cannot be changed.", { param: "session.model" });
    const asked = this.#transcriber.asked(message, session);
    this.#input.asked(session);
    return this.#renamed ? { ...asked, message: withName(asked.message, modelPath, upstreamModel) } : asked;
  }

  #shown(message: RealtimeMessage): RealtimeMessage {
    const session = parseEvent(message.data)?.["session"];
    if (!isRecord(session)) return message;
    const named = this.#transcriber.seen(message, session);
    this.#input.seen(session);
    return this.#renamed ? withName(named, modelPath, this.#names.model) : named;
  }

  #refuse(failure: Failure, causedBy?: unknown): Bridged {
    const cause = typeof causedBy === "string" ? causedBy : undefined;
    const eventId = `event_${this.#names.sessionId}e${++this.#errors}`;
    return { toClient: [errorEvent(failure, eventId, cause)], toVendor: [] };
  }
}
