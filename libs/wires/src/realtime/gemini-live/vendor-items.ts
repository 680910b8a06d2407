import { asText, type JsonRecord } from "@modelgate/formats/json";
import type { LiveResponseSink } from "./vendor-response.ts";

/** Maximum number of items that can be retrieved; older ones are dropped. */
const maxItems = 32;

/** Announces items of the conversation, and keeps the last spoken turns and the last output for `retrieve`. */
export class LiveItems {
  readonly #sink: LiveResponseSink;
  readonly #items = new Map<string, JsonRecord>();
  /** Item of a speech that has begun, which is not announced. */
  #started: string | undefined;
  /** Item that the client committed, whose transcript has not begun. */
  #committed: string | undefined;
  #transcript: { readonly itemId: string; text: string } | undefined;

  constructor(sink: LiveResponseSink) {
    this.#sink = sink;
  }

  retrieve(id: unknown): JsonRecord | undefined {
    return this.#items.get(asText(id));
  }

  keep(item: JsonRecord): void {
    this.#items.set(asText(item["id"]), item);
    const [oldest] = this.#items.keys();
    if (this.#items.size > maxItems && oldest !== undefined) this.#items.delete(oldest);
  }

  announce(item: JsonRecord): void {
    for (const type of ["conversation.item.added", "conversation.item.done"])
      this.#sink.send(type, { previous_item_id: null, item });
  }

  /** Begins a speech, and returns the id of its item. */
  startSpeech(): string {
    this.endTranscript();
    return this.#committed ?? (this.#started = this.#sink.newId("item"));
  }

  /** Confirms the end of a turn of speech. `mayHaveBegun` is true if the open transcript may be that of this turn. */
  commit({ mayHaveBegun }: { readonly mayHaveBegun: boolean }): void {
    const begun = mayHaveBegun ? this.#transcript?.itemId : undefined;
    const itemId = begun ?? this.#newSpeechId();
    this.#sink.send("input_audio_buffer.committed", { previous_item_id: null, item_id: itemId });
    if (begun !== undefined) return;
    this.#committed = itemId;
    this.#announceSpeech(itemId);
  }

  /** Adds text to the open transcript. Text may come after the begin of the answer, so only the answer's end ends it. */
  addTranscript(delta: string): void {
    this.#transcript ??= { itemId: this.#beginSpeech(), text: "" };
    this.#transcript.text += delta;
    const position = { item_id: this.#transcript.itemId, content_index: 0 };
    this.#sink.send("conversation.item.input_audio_transcription.delta", { ...position, delta });
  }

  endTranscript(): void {
    if (this.#transcript === undefined) return;
    const { itemId, text } = this.#transcript;
    this.#transcript = undefined;
    this.keep(speechItem(itemId, text));
    const type = "conversation.item.input_audio_transcription.completed";
    this.#sink.send(type, { item_id: itemId, content_index: 0, transcript: text });
  }

  #beginSpeech(): string {
    const committed = this.#committed;
    this.#committed = undefined;
    if (committed !== undefined) return committed;
    const itemId = this.#newSpeechId();
    this.#announceSpeech(itemId);
    return itemId;
  }

  #newSpeechId(): string {
    const itemId = this.#started ?? this.#sink.newId("item");
    this.#started = undefined;
    return itemId;
  }

  #announceSpeech(itemId: string): void {
    const item = speechItem(itemId, null);
    this.keep(item);
    this.announce(item);
  }
}

function speechItem(id: string, transcript: string | null): JsonRecord {
  const content = [{ type: "input_audio", transcript }];
  return { id, object: "realtime.item", type: "message", status: "completed", role: "user", content };
}
