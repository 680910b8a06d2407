import type { JsonRecord } from "../../json/fields.ts";

/** Who makes up ids and takes events. */
export interface EventSink {
  newId(prefix: string): string;
  send(type: string, members: JsonRecord): void;
}

/** What a response is known by before it begins. */
export interface ResponseFacts {
  readonly conversationId: string;
  readonly spoken: boolean;
  readonly metadata: unknown;
}

/** A function call as the vendor makes it. */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** One response, as the realtime format's events for the client, in their order. */
export class ResponseWriter {
  readonly id: string;
  readonly #sink: EventSink;
  readonly #facts: ResponseFacts;
  readonly #output: JsonRecord[] = [];
  /** The message that is being said; its index is after every item before it. */
  #message: { readonly id: string; words: string } | undefined;

  constructor(sink: EventSink, facts: ResponseFacts) {
    this.#sink = sink;
    this.#facts = facts;
    this.id = sink.newId("resp");
    sink.send("response.created", { response: this.#shown("in_progress") });
  }

  text(delta: string): void {
    const at = this.#open();
    this.#say(delta);
    this.#sink.send("response.output_text.delta", { ...at, delta });
  }

  /** Samples, in Base64. */
  audio(delta: string): void {
    this.#sink.send("response.output_audio.delta", { ...this.#open(), delta });
  }

  /** What is being spoken, in words. */
  transcript(delta: string): void {
    const at = this.#open();
    this.#say(delta);
    this.#sink.send("response.output_audio_transcript.delta", { ...at, delta });
  }

  call({ id: callId, name, args }: MadeCall): void {
    this.#close();
    const sink = this.#sink;
    const id = sink.newId("item");
    const text = JSON.stringify(args ?? {});
    const item = { id, object: "realtime.item", type: "function_call", call_id: callId, name };
    const at = { response_id: this.id, output_index: this.#output.length };
    this.#added({ ...item, status: "in_progress", arguments: "" });
    sink.send("response.function_call_arguments.delta", { ...at, item_id: id, call_id: callId, delta: text });
    sink.send("response.function_call_arguments.done", { ...at, item_id: id, call_id: callId, name, arguments: text });
    this.#done({ ...item, status: "completed", arguments: text });
  }

  /** Ends the response, with its usage in the realtime format's own form. */
  end(status: "completed" | "cancelled", usage: JsonRecord | null, reason?: string): void {
    this.#close(status === "cancelled" ? "incomplete" : "completed");
    const details = reason === undefined ? null : { type: status, reason };
    this.#sink.send("response.done", { response: { ...this.#shown(status), status_details: details, usage } });
  }

  #say(words: string): void {
    if (this.#message !== undefined) this.#message.words += words;
  }

  /** What names the message; it begins with its first word. */
  #open(): JsonRecord {
    const index = this.#output.length;
    if (this.#message === undefined) {
      this.#message = { id: this.#sink.newId("item"), words: "" };
      this.#added(this.#item("in_progress"));
      this.#sink.send("response.content_part.added", { ...this.#at(index), part: this.#part("") });
    }
    return this.#at(index);
  }

  #close(status: "completed" | "incomplete" = "completed"): void {
    if (this.#message === undefined) return;
    const { words } = this.#message;
    const at = this.#at(this.#output.length);
    if (this.#facts.spoken) {
      this.#sink.send("response.output_audio.done", at);
      this.#sink.send("response.output_audio_transcript.done", { ...at, transcript: words });
    } else this.#sink.send("response.output_text.done", { ...at, text: words });
    this.#sink.send("response.content_part.done", { ...at, part: this.#part(words) });
    const item = this.#item(status);
    this.#message = undefined;
    this.#done(item);
  }

  #at(outputIndex: number): JsonRecord {
    return { response_id: this.id, item_id: this.#message?.id, output_index: outputIndex, content_index: 0 };
  }

  #part(words: string): JsonRecord {
    return this.#facts.spoken ? { type: "audio", transcript: words } : { type: "text", text: words };
  }

  #item(status: string): JsonRecord {
    const words = this.#message?.words ?? "";
    const content = this.#facts.spoken
      ? { type: "output_audio", transcript: words }
      : { type: "output_text", text: words };
    const id = this.#message?.id;
    return { id, object: "realtime.item", type: "message", status, role: "assistant", content: [content] };
  }

  #added(item: JsonRecord): void {
    const at = { response_id: this.id, output_index: this.#output.length };
    this.#sink.send("response.output_item.added", { ...at, item });
    this.#sink.send("conversation.item.added", { previous_item_id: null, item });
  }

  #done(item: JsonRecord): void {
    const at = { response_id: this.id, output_index: this.#output.length };
    this.#output.push(item);
    this.#sink.send("response.output_item.done", { ...at, item });
    this.#sink.send("conversation.item.done", { previous_item_id: null, item });
  }

  #shown(status: string): JsonRecord {
    const { conversationId, spoken, metadata } = this.#facts;
    return {
      object: "realtime.response",
      id: this.id,
      status,
      status_details: null,
      output: this.#output,
      conversation_id: conversationId,
      output_modalities: [spoken ? "audio" : "text"],
      metadata: metadata ?? null,
      usage: null,
    };
  }
}
