import { isRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";
import { countOrZero } from "../hub/inspect.ts";

export interface LiveResponseSink {
  newId(prefix: string): string;
  send(type: string, members: JsonRecord): void;
}

interface ResponseContext {
  readonly conversationId: string;
  readonly isSpoken: boolean;
  readonly metadata: unknown;
}

export class ResponseWriter {
  readonly id: string;
  readonly #sink: LiveResponseSink;
  readonly #context: ResponseContext;
  readonly #output: JsonRecord[] = [];
  #message: { readonly id: string; text: string } | undefined;

  constructor(sink: LiveResponseSink, context: ResponseContext) {
    this.#sink = sink;
    this.#context = context;
    this.id = sink.newId("resp");
    sink.send("response.created", { response: this.#render("in_progress") });
  }

  text(delta: string): void {
    this.#delta("response.output_text.delta", delta, delta);
  }

  audio(delta: string): void {
    this.#delta("response.output_audio.delta", delta, "");
  }

  transcript(delta: string): void {
    this.#delta("response.output_audio_transcript.delta", delta, delta);
  }

  call({ id: callId, name, args }: { readonly id: string; readonly name: string; readonly args: unknown }): void {
    this.#close();
    const sink = this.#sink;
    const id = sink.newId("item");
    const text = JSON.stringify(args ?? {});
    const item = { id, object: "realtime.item", type: "function_call", call_id: callId, name };
    const position = { response_id: this.id, output_index: this.#output.length };
    this.#added({ ...item, status: "in_progress", arguments: "" });
    sink.send("response.function_call_arguments.delta", { ...position, item_id: id, call_id: callId, delta: text });
    sink.send("response.function_call_arguments.done", {
      ...position,
      item_id: id,
      call_id: callId,
      name,
      arguments: text,
    });
    this.#done({ ...item, status: "completed", arguments: text });
  }

  end(status: "completed" | "cancelled", usage: JsonRecord | null, reason?: string): void {
    this.#close(status === "cancelled" ? "incomplete" : "completed");
    const details = reason === undefined ? null : { type: status, reason };
    this.#sink.send("response.done", { response: { ...this.#render(status), status_details: details, usage } });
  }

  #delta(type: string, delta: string, text: string): void {
    if (this.#message === undefined) {
      this.#message = { id: this.#sink.newId("item"), text: "" };
      this.#added(this.#item("in_progress"));
      this.#sink.send("response.content_part.added", { ...this.#position(), part: this.#part("") });
    }
    this.#message.text += text;
    this.#sink.send(type, { ...this.#position(), delta });
  }

  #close(status: "completed" | "incomplete" = "completed"): void {
    if (this.#message === undefined) return;
    const { text } = this.#message;
    const position = this.#position();
    if (this.#context.isSpoken) {
      this.#sink.send("response.output_audio.done", position);
      this.#sink.send("response.output_audio_transcript.done", { ...position, transcript: text });
    } else this.#sink.send("response.output_text.done", { ...position, text });
    this.#sink.send("response.content_part.done", { ...position, part: this.#part(text) });
    const item = this.#item(status);
    this.#message = undefined;
    this.#done(item);
  }

  #position(): JsonRecord {
    const index = this.#output.length;
    return { response_id: this.id, item_id: this.#message?.id, output_index: index, content_index: 0 };
  }

  #part(text: string): JsonRecord {
    return this.#context.isSpoken ? { type: "audio", transcript: text } : { type: "text", text };
  }

  #item(status: string): JsonRecord {
    const { id, text = "" } = this.#message ?? {};
    const content = this.#context.isSpoken ? { type: "output_audio", transcript: text } : { type: "output_text", text };
    return { id, object: "realtime.item", type: "message", status, role: "assistant", content: [content] };
  }

  #added(item: JsonRecord): void {
    const position = { response_id: this.id, output_index: this.#output.length };
    this.#sink.send("response.output_item.added", { ...position, item });
    this.#sink.send("conversation.item.added", { previous_item_id: null, item });
  }

  #done(item: JsonRecord): void {
    const position = { response_id: this.id, output_index: this.#output.length };
    this.#output.push(item);
    this.#sink.send("response.output_item.done", { ...position, item });
    this.#sink.send("conversation.item.done", { previous_item_id: null, item });
  }

  #render(status: string): JsonRecord {
    const { conversationId, isSpoken, metadata } = this.#context;
    return {
      object: "realtime.response",
      id: this.id,
      status,
      status_details: null,
      output: this.#output,
      conversation_id: conversationId,
      output_modalities: [isSpoken ? "audio" : "text"],
      metadata: metadata ?? null,
      usage: null,
    };
  }
}

/** Converts `usageMetadata`. Some servers use the prefix `candidates` instead of `response`. */
export function responseUsage(metadata: unknown): JsonRecord | null {
  if (!isRecord(metadata)) return null;
  const reasoningTokens = countOrZero(metadata["thoughtsTokenCount"]);
  const input = countOrZero(metadata["promptTokenCount"]) + countOrZero(metadata["toolUsePromptTokenCount"]);
  const output = countOrZero(metadata["responseTokenCount"] ?? metadata["candidatesTokenCount"]) + reasoningTokens;
  const inputDetails = [metadata["promptTokensDetails"], metadata["toolUsePromptTokensDetails"]];
  const audioIn = inputDetails.reduce<number>((sum, details) => sum + tokensOf(details, "AUDIO"), 0);
  const imageIn = inputDetails.reduce<number>((sum, details) => sum + tokensOf(details, "IMAGE", "VIDEO"), 0);
  const audioOut = tokensOf(metadata["responseTokensDetails"] ?? metadata["candidatesTokensDetails"], "AUDIO");
  const cachedAudio = tokensOf(metadata["cacheTokensDetails"], "AUDIO");
  const cachedImage = tokensOf(metadata["cacheTokensDetails"], "IMAGE", "VIDEO");
  const cached = countOrZero(metadata["cachedContentTokenCount"]);
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: {
      text_tokens: Math.max(0, input - audioIn - imageIn),
      audio_tokens: audioIn,
      image_tokens: imageIn,
      cached_tokens: cached,
      cached_tokens_details: {
        text_tokens: Math.max(0, cached - cachedAudio - cachedImage),
        audio_tokens: cachedAudio,
        image_tokens: cachedImage,
      },
    },
    output_token_details: {
      text_tokens: Math.max(0, output - audioOut),
      audio_tokens: audioOut,
      ...(reasoningTokens > 0 ? { reasoning_tokens: reasoningTokens } : {}),
    },
  };
}

function tokensOf(details: unknown, ...modalities: readonly string[]): number {
  return asRecords(details)
    .filter(({ modality }) => typeof modality === "string" && modalities.includes(modality))
    .reduce((sum, { tokenCount }) => sum + countOrZero(tokenCount), 0);
}
