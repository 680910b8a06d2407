import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { unsupportedByVendor } from "../hub/message.ts";

/** Maximum size of the queue, in characters. */
const maxCharacters = 32 * 1024 * 1024;
const maxItems = 1_024;

interface PendingItem {
  readonly turn?: JsonRecord;
  readonly result?: JsonRecord;
  readonly speech?: readonly string[];
}

/** Queues input until the client requests an answer, because the vendor answers input at once. */
export class PendingInput {
  /** Samples of the unfinished turn, in Base64. */
  #audio: string[] = [];
  #audioCharacters = 0;
  #items: PendingItem[] = [];
  #itemCharacters = 0;

  addAudio(audio: string): void {
    this.#checkRoom(audio.length, "audio");
    this.#audioCharacters += audio.length;
    this.#audio.push(audio);
  }

  clear(): void {
    this.#audio = [];
    this.#audioCharacters = 0;
  }

  commit(): void {
    if (this.#audio.length === 0)
      throw new Failure("invalid_value", "The audio buffer is empty.", {
        vendorCode: "input_audio_buffer_commit_empty",
      });
    const [audio, characters] = [this.#audio, this.#audioCharacters];
    this.clear();
    this.#push({ speech: audio }, characters);
  }

  /** Adds a conversation item. `nameOf` returns the name of a call's function. */
  add(item: JsonRecord, characters: number, nameOf: (callId: string) => string | undefined): void {
    this.#checkRoom(characters, "item");
    this.#push(itemToInput(item, nameOf), characters);
  }

  /** Empties the queue into messages that request an answer. */
  take(): readonly JsonRecord[] {
    const items = this.#items;
    this.#items = [];
    this.#itemCharacters = 0;
    const turns = items.flatMap(({ turn = [] }) => turn);
    const results = items.flatMap(({ result = [] }) => result);
    const speech = items.flatMap(({ speech: samples = [] }) => samples);
    const messages: JsonRecord[] = [];
    if (turns.length > 0 || (results.length === 0 && speech.length === 0))
      // Speech and results request an answer themselves.
      messages.push({ clientContent: { turns, turnComplete: results.length === 0 && speech.length === 0 } });
    if (results.length > 0) messages.push({ toolResponse: { functionResponses: results } });
    if (speech.length > 0)
      messages.push({ realtimeInput: { activityStart: {} } }, ...speech.map(audioInput), {
        realtimeInput: { activityEnd: {} },
      });
    return messages;
  }

  #push(item: PendingItem, characters: number): void {
    if (this.#items.length >= maxItems) throw tooMuchPending("item");
    this.#items.push(item);
    this.#itemCharacters += characters;
  }

  #checkRoom(characters: number, param: string): void {
    if (this.#audioCharacters + this.#itemCharacters + characters > maxCharacters) throw tooMuchPending(param);
  }
}

function tooMuchPending(param: string): Failure {
  const message = "Too much input is waiting for a response: request one, or clear the audio buffer.";
  return new Failure("invalid_value", message, { param });
}

export function audioInput(data: string): JsonRecord {
  return { realtimeInput: { audio: { mimeType, data } } };
}

const mimeType = "audio/pcm;rate=24000";

function itemToInput(item: JsonRecord, nameOf: (callId: string) => string | undefined): PendingItem {
  if (item["type"] === "function_call_output") {
    const { call_id: id, output } = item;
    const name = nameOf(String(id));
    if (name === undefined)
      throw new Failure("invalid_value", "There is no call with that call_id.", { param: "item.call_id" });
    return { result: { id, name, response: { output } } };
  }
  if (item["type"] !== "message" || !Array.isArray(item["content"])) throw unsupportedByVendor("item.type");
  const parts = item["content"].map((part: unknown, index) => renderPart(part, `item.content[${index}]`));
  const role = item["role"] === "assistant" ? "model" : "user";
  return { turn: { role, parts } };
}

function renderPart(part: unknown, path: string): JsonRecord {
  if (!isRecord(part)) throw unsupportedByVendor(path);
  const { type, text, audio, image_url: image } = part;
  if ((type === "input_text" || type === "output_text" || type === "text") && typeof text === "string") return { text };
  if (type === "input_audio" && typeof audio === "string") return { inlineData: { mimeType, data: audio } };
  const inline = typeof image === "string" ? /^data:([\w/+.-]+);base64,(.*)$/s.exec(image) : null;
  if (type === "input_image" && inline !== null) return { inlineData: { mimeType: inline[1], data: inline[2] } };
  throw unsupportedByVendor(`${path}.type`);
}
