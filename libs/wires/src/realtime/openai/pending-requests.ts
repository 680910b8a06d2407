import { recordOf, type JsonRecord } from "../../json/fields.ts";
import { parseEvent } from "../message.ts";

/** Maximum number of events that wait for the vendor's answer; older ones are forgotten. */
const maxPending = 256;

/** Events of a client that the vendor must answer, with the events that answer them. */
const answers = {
  "response.create": "response.created",
  "input_audio_buffer.commit": "input_audio_buffer.committed",
  "input_audio_buffer.clear": "input_audio_buffer.cleared",
} as const;

type RequestType = keyof typeof answers;

/**
 * Requests of a client that its vendor has not answered yet: a response, the end of a turn, an empty
 * buffer. A client that leaves before the answer may owe it all the same. The vendor takes events in their order.
 */
export class PendingRequests {
  #waiting: { readonly type: RequestType; readonly eventId: unknown }[] = [];
  #hasSpeech = false;

  get any(): boolean {
    return this.#waiting.length > 0;
  }

  get responses(): number {
    return this.#waiting.filter(({ type }) => type === "response.create").length;
  }

  /** Tells whether there is speech of which the vendor may make a turn by itself. */
  get hasSpeech(): boolean {
    return this.#hasSpeech;
  }

  addSpeech(): void {
    this.#hasSpeech = true;
  }

  add({ type, event_id: eventId }: JsonRecord): void {
    if (type === "input_audio_buffer.append") return this.addSpeech();
    if (!isRequest(type)) return;
    if (type !== "response.create") this.#hasSpeech = false;
    if (this.#waiting.length >= maxPending) this.#waiting.shift();
    this.#waiting.push({ type, eventId });
  }

  /** Takes an event of the vendor's: an answer, or a refusal. */
  answer(type: string | undefined, data: Buffer): void {
    if (type === "input_audio_buffer.committed") this.#hasSpeech = false;
    if (!this.any) return;
    if (type === "error") return this.#refused(data);
    const at = this.#waiting.findIndex((request) => answers[request.type] === type);
    if (at < 0) return;
    // The vendor answers an empty buffer after all that was requested before it.
    if (type === answers["input_audio_buffer.clear"]) this.#waiting.splice(0, at + 1);
    else this.#waiting.splice(at, 1);
  }

  /**
   * An error names the event that it answers, where that has an id. One without a name answers the oldest event, since
   * the vendor takes them in order: never more than one, or an error about something else would make others look
   * refused that still run.
   */
  #refused(data: Buffer): void {
    const cause = recordOf(parseEvent(data)?.["error"])["event_id"] ?? undefined;
    if (cause === undefined) this.#waiting.shift();
    else this.#waiting = this.#waiting.filter(({ eventId }) => eventId !== cause);
  }
}

function isRequest(type: unknown): type is RequestType {
  return typeof type === "string" && Object.hasOwn(answers, type);
}
