import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord, own } from "../../json/fields.ts";

/** Result of a vendor's event: messages for the client, or the end of its session. */
interface Written {
  readonly messages: readonly JsonRecord[];
  readonly failure?: Failure;
}

/** Events of the vendor that the client wants. */
interface Shown {
  readonly inputTranscription: boolean;
  readonly outputTranscription: boolean;
}

const nothing: Written = { messages: [] };
/** Refusals of what the client's format does not say, and the bridge says in its turn. */
const harmless: ReadonlySet<unknown> = new Set([
  "response_cancel_not_active",
  "conversation_already_has_active_response",
  "input_audio_buffer_commit_empty",
]);

/** The events of a vendor of the realtime format as the messages of a live one. */
export class AnswerWriter {
  /** Responses that have begun and not ended. */
  readonly #responses = new Set<string>();
  /** Calls that wait for their results. */
  readonly #calls = new Set<string>();
  /** Items of the client's speech whose words came bit by bit. */
  readonly #written = new Set<string>();
  #shown: Shown = { inputTranscription: false, outputTranscription: false };
  #isReady = false;
  #interrupted = false;

  /** Sets the events that the client wants. */
  show(shown: Shown): void {
    this.#shown = shown;
  }

  get isResponding(): boolean {
    return this.#responses.size > 0;
  }

  /** The client answers a call; true where no other waits. */
  answered(id: unknown): boolean {
    this.#calls.delete(String(id));
    return this.#calls.size === 0;
  }

  /** An event of the vendor's. */
  take(event: JsonRecord): Written {
    const { type } = event;
    const write = typeof type === "string" ? own(this.#on, type) : undefined;
    return write?.(event) ?? nothing;
  }

  readonly #on: Readonly<Record<string, (event: JsonRecord) => Written>> = {
    "session.updated": () => this.#ready(),
    "response.created": ({ response }) => {
      this.#responses.add(idOf(response));
      this.#interrupted = false;
      return nothing;
    },
    "response.output_audio.delta": ({ delta }) => spoken(delta),
    "response.audio.delta": ({ delta }) => spoken(delta),
    "response.output_text.delta": ({ delta }) => said({ text: delta }),
    "response.text.delta": ({ delta }) => said({ text: delta }),
    "response.output_audio_transcript.delta": ({ delta }) => this.#transcript(delta),
    "response.audio_transcript.delta": ({ delta }) => this.#transcript(delta),
    "conversation.item.input_audio_transcription.delta": ({ item_id: item, delta }) => {
      this.#written.add(String(item));
      return this.#heard(delta);
    },
    "conversation.item.input_audio_transcription.completed": ({ item_id: item, transcript }) =>
      this.#written.delete(String(item)) ? nothing : this.#heard(transcript),
    "input_audio_buffer.speech_started": () => (this.#responses.size > 0 ? this.#interrupt() : nothing),
    "response.done": ({ response }) => this.#done(isRecord(response) ? response : {}),
    error: ({ error }) => failed(isRecord(error) ? error : {}, this.#isReady),
  };

  #ready(): Written {
    if (this.#isReady) return nothing;
    this.#isReady = true;
    return { messages: [{ setupComplete: {} }] };
  }

  #transcript(text: unknown): Written {
    return this.#shown.outputTranscription ? content({ outputTranscription: { text } }) : nothing;
  }

  #heard(text: unknown): Written {
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

function spoken(data: unknown): Written {
  return said({ inlineData: { mimeType: "audio/pcm;rate=24000", data } });
}

function said(part: JsonRecord): Written {
  return content({ modelTurn: { role: "model", parts: [part] } });
}

function content(serverContent: JsonRecord): Written {
  return { messages: [{ serverContent }] };
}

function callsIn({ status, output }: JsonRecord): readonly JsonRecord[] {
  if (status === "cancelled" || !Array.isArray(output)) return [];
  return output
    .filter(isRecord)
    .filter(({ type }) => type === "function_call")
    .map(({ call_id: id, name, arguments: args }) => ({ id, name, args: argumentsOf(args) }));
}

/** Parses the arguments of a call; an object whatever the vendor wrote. */
function argumentsOf(text: unknown): JsonRecord {
  try {
    const parsed: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function failureIn({ status_details: details }: JsonRecord): Failure {
  const error = isRecord(details) && isRecord(details["error"]) ? details["error"] : {};
  const { message } = error;
  return new Failure("upstream_error", typeof message === "string" ? message : "The response failed.");
}

/** Ends the session where the vendor refuses something, since this format has no error event. */
function failed(error: JsonRecord, isReady: boolean): Written {
  const { code, type, message } = error;
  if (isReady && harmless.has(code)) return nothing;
  const say = typeof message === "string" ? message : "The vendor failed.";
  const isClients = type === "invalid_request_error";
  return { messages: [], failure: new Failure(isClients ? "invalid_value" : "upstream_error", say) };
}

function idOf(response: unknown): string {
  const id = isRecord(response) ? response["id"] : undefined;
  return typeof id === "string" ? id : "";
}

/** The usage of a `response.done` as a live vendor reports it; undefined without any. */
function usageMetadataOf(usage: unknown): JsonRecord | undefined {
  if (!isRecord(usage)) return undefined;
  const input = recordOf(usage["input_token_details"]);
  const output = recordOf(usage["output_token_details"]);
  const cached = recordOf(input["cached_tokens_details"]);
  const [prompt, response] = [count(usage["input_tokens"]), count(usage["output_tokens"])];
  const [audioIn, imageIn, audioOut] = [
    count(input["audio_tokens"]),
    count(input["image_tokens"]),
    count(output["audio_tokens"]),
  ];
  const [cachedAudio, cachedImage] = [count(cached["audio_tokens"]), count(cached["image_tokens"])];
  const allCached = count(input["cached_tokens"]);
  return {
    promptTokenCount: prompt,
    promptTokensDetails: details({ TEXT: prompt - audioIn - imageIn, AUDIO: audioIn, IMAGE: imageIn }),
    ...(allCached > 0
      ? {
          cachedContentTokenCount: allCached,
          cacheTokensDetails: details({
            TEXT: allCached - cachedAudio - cachedImage,
            AUDIO: cachedAudio,
            IMAGE: cachedImage,
          }),
        }
      : {}),
    responseTokenCount: response,
    responseTokensDetails: details({ TEXT: response - audioOut, AUDIO: audioOut }),
    totalTokenCount: prompt + response,
  };
}

function details(tokens: Readonly<Record<string, number>>): readonly JsonRecord[] {
  return Object.entries(tokens).flatMap(([modality, tokenCount]) => (tokenCount > 0 ? [{ modality, tokenCount }] : []));
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

function count(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.floor(value) : 0;
}
