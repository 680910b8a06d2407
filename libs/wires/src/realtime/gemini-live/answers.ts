import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { responseUsage, ResponseWriter, type LiveResponseSink } from "./response-writer.ts";

/** Facts that the answers of a session share. */
interface AnswerFacts {
  readonly conversationId: string;
  /** Tells whether answers are spoken: the settings may still change it. */
  readonly speaks: () => boolean;
}

/**
 * Converts the vendor's messages to responses for the client, and to transcripts of its own words. The vendor begins a
 * response by itself, and reports its end and its usage.
 */
export class Answers {
  readonly #sink: LiveResponseSink;
  readonly #facts: AnswerFacts;
  /** Calls that the vendor made and waits for: their names by id. */
  readonly #calls = new Map<string, string>();
  #response: ResponseWriter | undefined;
  #usage: unknown;
  /** Reason for which the response in progress ends early. */
  #stopped: "client_cancelled" | "turn_detected" | undefined;
  #heard: { readonly itemId: string; words: string } | undefined;

  constructor(sink: LiveResponseSink, facts: AnswerFacts) {
    this.#sink = sink;
    this.#facts = facts;
  }

  get underWay(): boolean {
    return this.#response !== undefined;
  }

  /** The name of a call that the vendor waits for. */
  nameOfCall(id: string): string | undefined {
    return this.#calls.get(id);
  }

  /** The client has answered a call. */
  callAnswered(id: string): void {
    this.#calls.delete(id);
  }

  /** Begins a response, where none is under way. */
  begin(metadata?: unknown): void {
    this.#respond(metadata);
  }

  /** The client wants no more of the response that is under way; the vendor still has to end it. */
  cancelled(): void {
    this.#stopped = "client_cancelled";
  }

  /** A message of the vendor's. It may report usage beside what it ends. */
  take({ usageMetadata: usage, serverContent: content, toolCall }: JsonRecord): void {
    if (isRecord(usage)) this.#usage = usage;
    if (isRecord(content)) this.#content(content);
    if (isRecord(toolCall)) this.#toolCall(toolCall);
  }

  #content(content: JsonRecord): void {
    const { inputTranscription: heard, outputTranscription: spoken, modelTurn: turn } = content;
    if (isRecord(heard) && typeof heard["text"] === "string") this.#hear(heard["text"]);
    if (content["interrupted"] === true) this.#interrupted();
    const parts = isRecord(turn) && Array.isArray(turn["parts"]) ? turn["parts"].filter(isRecord) : [];
    for (const part of parts) this.#part(part);
    if (isRecord(spoken) && typeof spoken["text"] === "string") this.#respond().transcript(spoken["text"]);
    if (content["turnComplete"] === true) this.#ended();
  }

  #part({ text, thought, inlineData }: JsonRecord): void {
    if (thought === true) return;
    if (typeof text === "string") {
      if (this.#facts.speaks()) this.#respond().transcript(text);
      else this.#respond().text(text);
    }
    if (isRecord(inlineData) && typeof inlineData["data"] === "string") this.#respond().audio(inlineData["data"]);
  }

  /** Calls end a response: the client answers them, and asks on. */
  #toolCall({ functionCalls }: JsonRecord): void {
    const calls = Array.isArray(functionCalls) ? functionCalls.filter(isRecord) : [];
    for (const { id, name, args } of calls) {
      const callId = typeof id === "string" ? id : this.#sink.newId("call");
      this.#calls.set(callId, String(name));
      this.#respond().call({ id: callId, name: String(name), args });
    }
    this.#ended();
  }

  /** Words of the client's, as the vendor writes them down. */
  #hear(delta: string): void {
    this.#heard ??= { itemId: this.#sink.newId("item"), words: "" };
    this.#heard.words += delta;
    const at = { item_id: this.#heard.itemId, content_index: 0 };
    this.#sink.send("conversation.item.input_audio_transcription.delta", { ...at, delta });
  }

  /** The client's turn is over: all of it is written down. */
  #written(): void {
    if (this.#heard === undefined) return;
    const { itemId, words } = this.#heard;
    this.#heard = undefined;
    const type = "conversation.item.input_audio_transcription.completed";
    this.#sink.send(type, { item_id: itemId, content_index: 0, transcript: words });
  }

  #interrupted(): void {
    if (this.#response === undefined || this.#stopped !== undefined) return;
    this.#stopped = "turn_detected";
    const itemId = this.#sink.newId("item");
    this.#sink.send("input_audio_buffer.speech_started", { audio_start_ms: 0, item_id: itemId });
  }

  /** The response that is under way; the vendor may begin one by itself. */
  #respond(metadata?: unknown): ResponseWriter {
    if (this.#response !== undefined) return this.#response;
    this.#written();
    const { conversationId, speaks } = this.#facts;
    this.#response = new ResponseWriter(this.#sink, { conversationId, spoken: speaks(), metadata });
    return this.#response;
  }

  #ended(): void {
    this.#written();
    const response = this.#response;
    const stopped = this.#stopped;
    this.#response = undefined;
    this.#stopped = undefined;
    if (response === undefined) return;
    response.end(stopped === undefined ? "completed" : "cancelled", responseUsage(this.#usage), stopped);
    this.#usage = undefined;
  }
}
