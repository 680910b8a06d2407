import { asRecord, type JsonRecord } from "@modelgate/formats/json";
import { parseEvent } from "../hub/message.ts";

/** Maximum number of tracked events; older ones are dropped. */
const maxPending = 256;

/** Client events, and the vendor's events that answer them. */
const answerEvents = {
  "response.create": "response.created",
  "input_audio_buffer.commit": "input_audio_buffer.committed",
  "input_audio_buffer.clear": "input_audio_buffer.cleared",
} as const;

type RequestType = keyof typeof answerEvents;

/** Tracks the client's unanswered requests, which may cost money. The vendor handles events in order. */
export class PendingRequests {
  #waiting: { readonly type: RequestType; readonly eventId: unknown }[] = [];
  #hasSpeech = false;

  get hasAny(): boolean {
    return this.#waiting.length > 0;
  }

  get responses(): number {
    return this.#waiting.filter(({ type }) => type === "response.create").length;
  }

  /** True if the client sent speech that the vendor may turn into a turn without a request. */
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

  answer(type: string | undefined, data: Buffer): void {
    if (type === "input_audio_buffer.committed") this.#hasSpeech = false;
    if (!this.hasAny) return;
    if (type === "error") return this.#refused(data);
    const index = this.#waiting.findIndex((request) => answerEvents[request.type] === type);
    if (index < 0) return;
    // The vendor handles events in order, so all earlier requests are answered too.
    if (type === answerEvents["input_audio_buffer.clear"]) this.#waiting.splice(0, index + 1);
    else this.#waiting.splice(index, 1);
  }

  /**
   * Removes the request that an error answers. An error without an event id is taken as the answer to the oldest
   * request, because later requests may still run.
   */
  #refused(data: Buffer): void {
    const cause = asRecord(parseEvent(data)?.["error"])["event_id"] ?? undefined;
    if (cause === undefined) this.#waiting.shift();
    else this.#waiting = this.#waiting.filter(({ eventId }) => eventId !== cause);
  }
}

function isRequest(type: unknown): type is RequestType {
  return typeof type === "string" && Object.hasOwn(answerEvents, type);
}
