import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { parseEvent } from "../message.ts";

/** Maximum of events that wait for the vendor's answer; older ones are forgotten. */
const maxPending = 256;

/** Events of a client that the vendor must answer, with the events that answer them. */
const answers = {
  "response.create": "response.created",
  "input_audio_buffer.commit": "input_audio_buffer.committed",
  "input_audio_buffer.clear": "input_audio_buffer.cleared",
} as const;

type Asking = keyof typeof answers;

/**
 * Requests of a client that its vendor has not answered yet: a response, the end of a turn, an empty
 * buffer. A client that leaves before the answer may owe it all the same. The vendor takes events in their order.
 */
export class PendingRequests {
  #waiting: { readonly type: Asking; readonly eventId: unknown }[] = [];
  #hears = false;

  /** Tells whether anything waits for an answer. */
  get any(): boolean {
    return this.#waiting.length > 0;
  }

  /** Responses among it. */
  get responses(): number {
    return this.#waiting.filter(({ type }) => type === "response.create").length;
  }

  /** Tells whether there is speech of which the vendor may make a turn by itself. */
  get hears(): boolean {
    return this.#hears;
  }

  /** Samples were sent. */
  heard(): void {
    this.#hears = true;
  }

  /** Another event was sent. */
  sent({ type, event_id: eventId }: JsonRecord): void {
    if (type === "input_audio_buffer.append") return this.heard();
    if (!isAsking(type)) return;
    if (type !== "response.create") this.#hears = false;
    if (this.#waiting.length >= maxPending) this.#waiting.shift();
    this.#waiting.push({ type, eventId });
  }

  /** The vendor said something: an answer, or that it will give none. */
  seen(type: string | undefined, data: Buffer): void {
    if (type === "input_audio_buffer.committed") this.#hears = false;
    if (!this.any) return;
    if (type === "error") return this.#refused(data);
    const at = this.#waiting.findIndex((asked) => answers[asked.type] === type);
    if (at < 0) return;
    // An empty buffer is what nothing that was said before it can follow any more.
    if (type === answers["input_audio_buffer.clear"]) this.#waiting.splice(0, at + 1);
    else this.#waiting.splice(at, 1);
  }

  /**
   * An error names the event that it answers, where that has an id. One without a name answers the oldest event, since
   * the vendor takes them in order: never more than one, or an error about something else would make others look
   * refused that still run.
   */
  #refused(data: Buffer): void {
    const error = parseEvent(data)?.["error"];
    const cause = (isRecord(error) ? error["event_id"] : undefined) ?? undefined;
    if (cause === undefined) this.#waiting.shift();
    else this.#waiting = this.#waiting.filter(({ eventId }) => eventId !== cause);
  }
}

function isAsking(type: unknown): type is Asking {
  return typeof type === "string" && Object.hasOwn(answers, type);
}
