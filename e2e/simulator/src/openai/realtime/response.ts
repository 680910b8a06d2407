import type { Behaviour } from "../../behaviour.ts";
import { answerFor } from "../../core/answer.ts";
import { freshId } from "../../core/ids.ts";
import type { Question } from "../../core/question.ts";
import { generatedSpeechTokens, toneFor } from "../../core/speech.ts";
import { piecesOf, tokensOf } from "../../core/tokens.ts";
import type { SocketFrame } from "../../sockets/peer.ts";
import { shownItem, type Item, type ItemTokens } from "./items.ts";

/** Tokens that a response reads. `cached` are those that an earlier response has read. */
export interface ReadTokens {
  readonly all: ItemTokens;
  readonly cached: ItemTokens;
}

/** Input of a response. */
export interface ResponsePlan {
  readonly id: string;
  readonly conversationId: string | null;
  readonly modality: "text" | "audio";
  readonly question: Question;
  readonly behaviour: Behaviour;
  readonly read: ReadTokens;
  readonly metadata: unknown;
}

/** Response that is sent event by event. */
export class Response {
  readonly id: string;
  readonly #plan: ResponsePlan;
  readonly #items: Item[] = [];
  #generated: ItemTokens = { text: 0, audio: 0 };
  cancelled: "client_cancelled" | "turn_detected" | undefined;

  constructor(plan: ResponsePlan) {
    this.id = plan.id;
    this.#plan = plan;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  created(): object {
    return { ...newEventHead("response.created"), response: this.#shown("in_progress") };
  }

  *frames(): Generator<SocketFrame> {
    const { question, behaviour, modality } = this.#plan;
    const answer = answerFor(question, behaviour);
    if (answer.text !== undefined) yield* this.#message(answer.text, modality, behaviour.chunks);
    for (const call of answer.calls) yield* this.#call(call.name, call.arguments, answer.text === undefined ? 0 : 1);
    yield { event: rateLimits() };
    yield {
      event: this.done(answer.finish === "length" ? "incomplete" : answer.finish === "failed" ? "failed" : "completed"),
    };
  }

  /** Returns the last event, with the usage so far. */
  done(status: "completed" | "cancelled" | "failed" | "incomplete"): object {
    const { behaviour, question } = this.#plan;
    const scripted = answerFor(question, behaviour).usage;
    const usage = scripted === null ? null : (scripted ?? this.#usage());
    return { ...newEventHead("response.done"), response: { ...this.#shown(status), usage } };
  }

  *#message(text: string, modality: "text" | "audio", chunks: number | undefined): Generator<SocketFrame> {
    const id = freshId("item_");
    const place = { response_id: this.id, item_id: id, output_index: 0, content_index: 0 };
    const empty: Item = { id, type: "message", role: "assistant", words: "", audioBytes: 0, texts: "" };
    yield* this.#added(empty, 0);
    yield {
      event: {
        ...newEventHead("response.content_part.added"),
        ...place,
        part: { type: modality, ...partOf(modality, "") },
      },
    };
    let audioBytes = 0;
    for (const piece of piecesOf(text, chunks)) {
      if (modality === "text") {
        yield { event: { ...newEventHead("response.output_text.delta"), ...place, delta: piece }, content: true };
        this.#generated = { ...this.#generated, text: this.#generated.text + tokensOf(piece) };
        continue;
      }
      const audio = toneFor(piece);
      audioBytes += audio.length;
      yield { event: { ...newEventHead("response.output_audio_transcript.delta"), ...place, delta: piece } };
      yield {
        event: { ...newEventHead("response.output_audio.delta"), ...place, delta: audio.toString("base64") },
        content: true,
      };
      this.#generated = {
        text: this.#generated.text + tokensOf(piece),
        audio: this.#generated.audio + generatedSpeechTokens(audio.length),
      };
    }
    if (modality === "audio") {
      yield { event: { ...newEventHead("response.output_audio.done"), ...place } };
      yield { event: { ...newEventHead("response.output_audio_transcript.done"), ...place, transcript: text } };
    } else yield { event: { ...newEventHead("response.output_text.done"), ...place, text } };
    yield {
      event: {
        ...newEventHead("response.content_part.done"),
        ...place,
        part: { type: modality, ...partOf(modality, text) },
      },
    };
    yield* this.#completed({ ...empty, words: text, audioBytes, texts: modality === "text" ? text : "" }, 0);
  }

  *#call(name: string, args: string, outputIndex: number): Generator<SocketFrame> {
    const item: Item = {
      id: freshId("item_"),
      type: "function_call",
      callId: freshId("call_"),
      name,
      words: "",
      audioBytes: 0,
      texts: "",
    };
    const place = { response_id: this.id, item_id: item.id, output_index: outputIndex, call_id: item.callId };
    yield* this.#added(item, outputIndex);
    for (const piece of piecesOf(args, Math.min(2, args.length))) {
      yield {
        event: { ...newEventHead("response.function_call_arguments.delta"), ...place, delta: piece },
        content: true,
      };
      this.#generated = { ...this.#generated, text: this.#generated.text + tokensOf(piece) };
    }
    yield { event: { ...newEventHead("response.function_call_arguments.done"), ...place, name, arguments: args } };
    yield* this.#completed({ ...item, words: args, texts: args }, outputIndex);
  }

  *#added(item: Item, outputIndex: number): Generator<SocketFrame> {
    const shown = shownItem(item, "in_progress");
    const place = { response_id: this.id, output_index: outputIndex };
    yield { event: { ...newEventHead("response.output_item.added"), ...place, item: shown } };
    if (this.#plan.conversationId !== null)
      yield { event: { ...newEventHead("conversation.item.added"), previous_item_id: null, item: shown } };
  }

  *#completed(item: Item, outputIndex: number): Generator<SocketFrame> {
    this.#items.push(item);
    const place = { response_id: this.id, output_index: outputIndex };
    yield { event: { ...newEventHead("response.output_item.done"), ...place, item: shownItem(item) } };
    if (this.#plan.conversationId !== null)
      yield { event: { ...newEventHead("conversation.item.done"), previous_item_id: null, item: shownItem(item) } };
  }

  #shown(status: string): object {
    const { id, conversationId, modality, metadata } = this.#plan;
    return {
      object: "realtime.response",
      id,
      status,
      status_details:
        status === "cancelled" ? { type: "cancelled", reason: this.cancelled ?? "client_cancelled" } : null,
      output: this.#items.map((item) => shownItem(item)),
      conversation_id: conversationId,
      output_modalities: [modality],
      max_output_tokens: "inf",
      metadata: metadata ?? null,
      usage: null,
    };
  }

  #usage(): object {
    const { all, cached } = this.#plan.read;
    const generated = this.#generated;
    const [input, output] = [all.text + all.audio, generated.text + generated.audio];
    return {
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      input_token_details: {
        text_tokens: all.text,
        audio_tokens: all.audio,
        image_tokens: 0,
        cached_tokens: cached.text + cached.audio,
        cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: 0 },
      },
      output_token_details: { text_tokens: generated.text, audio_tokens: generated.audio },
    };
  }
}

/** Returns an event's type and a new id. */
export function newEventHead(type: string): { readonly type: string; readonly event_id: string } {
  return { type, event_id: freshId("event_") };
}

function partOf(modality: "text" | "audio", words: string): object {
  return modality === "text" ? { text: words } : { transcript: words };
}

/** Returns an event whose unusual numbers show that a gateway passes the JSON on unchanged. */
function rateLimits(): string {
  const { type, event_id: id } = newEventHead("rate_limits.updated");
  return `{"type": "${type}", "event_id": "${id}", "rate_limits": [{"name": "requests", "limit": 12345678901234567890, "remaining": 1.0, "reset_seconds": 0.10}]}`;
}

/** Creates the `error` event of a failure. Without a code, it is a failure of the vendor. */
export function failureEvent(
  message: string,
  { code, path, eventId }: { code?: string; path?: string | null; eventId?: string | undefined } = {},
): object {
  const type = code === undefined ? "server_error" : "invalid_request_error";
  return {
    ...newEventHead("error"),
    error: { type, code: code ?? null, message, param: path ?? null, event_id: eventId ?? null },
  };
}
