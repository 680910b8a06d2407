import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord, ownEntry, parseRecord, asRecord, asRecords } from "../../json/fields.ts";
import { idOf } from "../hub/inspect.ts";
import { count } from "../hub/usage.ts";

/** Result of a vendor's event: messages for the client, or the failure that ends the session. */
interface Written {
  readonly messages: readonly JsonRecord[];
  readonly failure?: Failure;
}

interface Shown {
  readonly inputTranscription: boolean;
  readonly outputTranscription: boolean;
}

const nothing: Written = { messages: [] };
/** Codes of errors about events that the bridge added; clients did not send these events and do not get the errors. */
const harmless: ReadonlySet<unknown> = new Set([
  "response_cancel_not_active",
  "conversation_already_has_active_response",
  "input_audio_buffer_commit_empty",
]);

/** Converts events of a vendor of the realtime format to messages of the live format. */
export class AnswerWriter {
  readonly #responses = new Set<string>();
  readonly #calls = new Set<string>();
  /** Items of the client's speech whose transcript arrived in deltas. */
  readonly #transcribed = new Set<string>();
  #shown: Shown = { inputTranscription: false, outputTranscription: false };
  #isReady = false;
  #interrupted = false;

  show(shown: Shown): void {
    this.#shown = shown;
  }

  get isResponding(): boolean {
    return this.#responses.size > 0;
  }

  /** Handles the client's result for a call. Returns true if no other call awaits a result. */
  answerCall(id: unknown): boolean {
    this.#calls.delete(String(id));
    return this.#calls.size === 0;
  }

  take(event: JsonRecord): Written {
    const { type } = event;
    const write = typeof type === "string" ? ownEntry(this.#on, type) : undefined;
    return write?.(event) ?? nothing;
  }

  readonly #on: Readonly<Record<string, (event: JsonRecord) => Written>> = {
    "session.updated": () => this.#ready(),
    "response.created": ({ response }) => {
      this.#responses.add(idOf(response));
      this.#interrupted = false;
      return nothing;
    },
    "response.output_audio.delta": ({ delta }) => audioPart(delta),
    "response.audio.delta": ({ delta }) => audioPart(delta),
    "response.output_text.delta": ({ delta }) => modelTurn({ text: delta }),
    "response.text.delta": ({ delta }) => modelTurn({ text: delta }),
    "response.output_audio_transcript.delta": ({ delta }) => this.#transcript(delta),
    "response.audio_transcript.delta": ({ delta }) => this.#transcript(delta),
    "conversation.item.input_audio_transcription.delta": ({ item_id: item, delta }) => {
      this.#transcribed.add(String(item));
      return this.#inputTranscript(delta);
    },
    "conversation.item.input_audio_transcription.completed": ({ item_id: item, transcript }) =>
      this.#transcribed.delete(String(item)) ? nothing : this.#inputTranscript(transcript),
    "input_audio_buffer.speech_started": () => (this.#responses.size > 0 ? this.#interrupt() : nothing),
    "response.done": ({ response }) => this.#done(asRecord(response)),
    error: ({ error }) => failed(asRecord(error), this.#isReady),
  };

  #ready(): Written {
    if (this.#isReady) return nothing;
    this.#isReady = true;
    return { messages: [{ setupComplete: {} }] };
  }

  #transcript(text: unknown): Written {
    return this.#shown.outputTranscription ? content({ outputTranscription: { text } }) : nothing;
  }

  #inputTranscript(text: unknown): Written {
    return this.#shown.inputTranscription ? content({ inputTranscription: { text } }) : nothing;
  }

  #interrupt(): Written {
    if (this.#interrupted) return nothing;
    this.#interrupted = true;
    return content({ interrupted: true });
  }

  #done(response: JsonRecord): Written {
    this.#responses.delete(idOf(response));
    const { status } = response;
    const usage = usageMetadataOf(response["usage"]);
    if (status === "failed") return { messages: [], failure: failureIn(response) };
    const calls = callsIn(response);
    if (calls.length > 0) {
      for (const { id } of calls) this.#calls.add(String(id));
      return { messages: [present({ toolCall: { functionCalls: calls }, usageMetadata: usage })] };
    }
    const before = status === "cancelled" ? this.#interrupt() : content({ generationComplete: true });
    this.#interrupted = false;
    return { messages: [...before.messages, present({ serverContent: { turnComplete: true }, usageMetadata: usage })] };
  }
}

function audioPart(data: unknown): Written {
  return modelTurn({ inlineData: { mimeType: "audio/pcm;rate=24000", data } });
}

function modelTurn(part: JsonRecord): Written {
  return content({ modelTurn: { role: "model", parts: [part] } });
}

function content(serverContent: JsonRecord): Written {
  return { messages: [{ serverContent }] };
}

function callsIn({ status, output }: JsonRecord): readonly JsonRecord[] {
  if (status === "cancelled") return [];
  return asRecords(output)
    .filter(({ type }) => type === "function_call")
    .map(({ call_id: id, name, arguments: args }) => ({
      id,
      name,
      args: (typeof args === "string" ? parseRecord(args) : undefined) ?? {},
    }));
}

function failureIn({ status_details: details }: JsonRecord): Failure {
  const { message } = asRecord(asRecord(details)["error"]);
  return new Failure("upstream_error", typeof message === "string" ? message : "The response failed.");
}

/** Ends the session after a vendor's error, since this format has no error event. */
function failed(error: JsonRecord, isReady: boolean): Written {
  const { code, type, message } = error;
  if (isReady && harmless.has(code)) return nothing;
  const text = typeof message === "string" ? message : "The vendor failed.";
  const reason = type === "invalid_request_error" ? "invalid_value" : "upstream_error";
  return { messages: [], failure: new Failure(reason, text) };
}

/** Converts the usage of a `response.done` to `usageMetadata` of the live format; undefined without usage. */
function usageMetadataOf(usage: unknown): JsonRecord | undefined {
  if (!isRecord(usage)) return undefined;
  const input = asRecord(usage["input_token_details"]);
  const cached = asRecord(input["cached_tokens_details"]);
  const [prompt, response] = [count(usage["input_tokens"]), count(usage["output_tokens"])];
  const audioOut = count(asRecord(usage["output_token_details"])["audio_tokens"]);
  const allCached = count(input["cached_tokens"]);
  return {
    promptTokenCount: prompt,
    promptTokensDetails: inputDetails(prompt, input),
    ...(allCached > 0
      ? { cachedContentTokenCount: allCached, cacheTokensDetails: inputDetails(allCached, cached) }
      : {}),
    responseTokenCount: response,
    responseTokensDetails: details({ TEXT: response - audioOut, AUDIO: audioOut }),
    totalTokenCount: prompt + response,
  };
}

function inputDetails(all: number, { audio_tokens: audio, image_tokens: image }: JsonRecord): readonly JsonRecord[] {
  return details({ TEXT: all - count(audio) - count(image), AUDIO: count(audio), IMAGE: count(image) });
}

function details(tokens: Readonly<Record<string, number>>): readonly JsonRecord[] {
  return Object.entries(tokens).flatMap(([modality, tokenCount]) => (tokenCount > 0 ? [{ modality, tokenCount }] : []));
}
