import { isRecord, asRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";
import type { LiveItems } from "./vendor-items.ts";
import { responseUsage, ResponseWriter, type LiveResponseSink } from "./vendor-response.ts";

/** Converts the vendor's messages to responses and transcripts. */
export class LiveAnswerConverter {
  readonly #sink: LiveResponseSink;
  readonly #items: LiveItems;
  readonly #conversationId: string;
  readonly #isSpoken: () => boolean;
  /** Names of the tools by the ids of their open calls. */
  readonly #calls = new Map<string, string>();
  #response: ResponseWriter | undefined;
  #usage: unknown;
  #stopped: "client_cancelled" | "turn_detected" | undefined;

  constructor(sink: LiveResponseSink, items: LiveItems, conversationId: string, isSpoken: () => boolean) {
    this.#sink = sink;
    this.#items = items;
    this.#conversationId = conversationId;
    this.#isSpoken = isSpoken;
  }

  get isResponding(): boolean {
    return this.#response !== undefined;
  }

  nameOfCall(id: string): string | undefined {
    return this.#calls.get(id);
  }

  callAnswered(id: string): void {
    this.#calls.delete(id);
  }

  begin(metadata?: unknown): void {
    this.#respond(metadata);
  }

  /** Marks the current response as cancelled. The vendor ends it later. */
  cancel(): void {
    this.#stopped ??= "client_cancelled";
  }

  convert({ usageMetadata: usage, serverContent: content, toolCall }: JsonRecord): void {
    if (isRecord(usage)) this.#usage = usage;
    if (isRecord(content)) this.#content(content);
    if (isRecord(toolCall)) this.#toolCall(toolCall);
  }

  #content(content: JsonRecord): void {
    const { text: transcript } = asRecord(content["inputTranscription"]);
    const { text: transcriptText } = asRecord(content["outputTranscription"]);
    if (content["interrupted"] === true) this.#interrupted();
    if (typeof transcript === "string") this.#items.addTranscript(transcript);
    for (const part of asRecords(asRecord(content["modelTurn"])["parts"])) this.#part(part);
    if (typeof transcriptText === "string") this.#respond().transcript(transcriptText);
    if (content["turnComplete"] === true) this.#ended();
  }

  #part({ text, thought, inlineData }: JsonRecord): void {
    if (thought === true) return;
    if (typeof text === "string") {
      if (this.#isSpoken()) this.#respond().transcript(text);
      else this.#respond().text(text);
    }
    const { data } = asRecord(inlineData);
    if (typeof data === "string") this.#respond().audio(data);
  }

  #toolCall({ functionCalls }: JsonRecord): void {
    for (const { id, name, args } of asRecords(functionCalls)) {
      const callId = typeof id === "string" ? id : this.#sink.newId("call");
      this.#calls.set(callId, String(name));
      this.#respond().call({ id: callId, name: String(name), args });
    }
    this.#ended();
  }

  #interrupted(): void {
    if (this.#response === undefined || this.#stopped !== undefined) return;
    this.#stopped = "turn_detected";
    const itemId = this.#items.startSpeech();
    this.#sink.send("input_audio_buffer.speech_started", { audio_start_ms: 0, item_id: itemId });
  }

  /** Returns the current response, or begins one. The vendor may begin a response without a request. */
  #respond(metadata?: unknown): ResponseWriter {
    if (this.#response !== undefined) return this.#response;
    const context = { conversationId: this.#conversationId, isSpoken: this.#isSpoken(), metadata };
    this.#response = new ResponseWriter(this.#sink, context);
    return this.#response;
  }

  #ended(): void {
    // An interruption has begun the transcript of the next speech.
    if (this.#stopped !== "turn_detected") this.#items.endTranscript();
    const response = this.#response;
    const stopped = this.#stopped;
    this.#response = undefined;
    this.#stopped = undefined;
    if (response === undefined) return;
    response.end(stopped === undefined ? "completed" : "cancelled", responseUsage(this.#usage), stopped);
    this.#usage = undefined;
  }
}
