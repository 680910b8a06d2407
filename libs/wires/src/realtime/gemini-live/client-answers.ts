import { Failure, withoutUndefined } from "@modelgate/contracts";
import { isRecord, type JsonRecord, ownEntry, parseRecord, asRecord, asRecords } from "@modelgate/formats/json";
import { responseId, countOrZero } from "../hub/inspect.ts";

interface ClientResult {
  readonly messages: readonly JsonRecord[];
  readonly failure?: Failure;
}

interface TranscriptionSettings {
  readonly inputTranscription: boolean;
  readonly outputTranscription: boolean;
}

const noMessages: ClientResult = { messages: [] };
/** Codes of errors about events that the bridge itself added. The client does not get these errors. */
const ignoredErrorCodes: ReadonlySet<unknown> = new Set([
  "response_cancel_not_active",
  "conversation_already_has_active_response",
  "input_audio_buffer_commit_empty",
]);

export class AnswerWriter {
  readonly #responses = new Set<string>();
  readonly #calls = new Set<string>();
  readonly #transcribed = new Set<string>();
  #transcription: TranscriptionSettings = { inputTranscription: false, outputTranscription: false };
  #isReady = false;
  #interrupted = false;

  setTranscription(settings: TranscriptionSettings): void {
    this.#transcription = settings;
  }

  get isResponding(): boolean {
    return this.#responses.size > 0;
  }

  /** Records the result of a tool call. Returns true if no other result is missing. */
  answerCall(id: unknown): boolean {
    this.#calls.delete(String(id));
    return this.#calls.size === 0;
  }

  convert(event: JsonRecord): ClientResult {
    const { type } = event;
    const write = typeof type === "string" ? ownEntry(this.#on, type) : undefined;
    return write?.(event) ?? noMessages;
  }

  readonly #on: Readonly<Record<string, (event: JsonRecord) => ClientResult>> = {
    "session.updated": () => this.#ready(),
    "response.created": ({ response }) => {
      this.#responses.add(responseId(response));
      this.#interrupted = false;
      return noMessages;
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
      this.#transcribed.delete(String(item)) ? noMessages : this.#inputTranscript(transcript),
    "input_audio_buffer.speech_started": () => (this.#responses.size > 0 ? this.#interrupt() : noMessages),
    "response.done": ({ response }) => this.#done(asRecord(response)),
    error: ({ error }) => vendorErrorResult(asRecord(error), this.#isReady),
  };

  #ready(): ClientResult {
    if (this.#isReady) return noMessages;
    this.#isReady = true;
    return { messages: [{ setupComplete: {} }] };
  }

  #transcript(text: unknown): ClientResult {
    return this.#transcription.outputTranscription
      ? serverContentMessage({ outputTranscription: { text } })
      : noMessages;
  }

  #inputTranscript(text: unknown): ClientResult {
    return this.#transcription.inputTranscription ? serverContentMessage({ inputTranscription: { text } }) : noMessages;
  }

  #interrupt(): ClientResult {
    if (this.#interrupted) return noMessages;
    this.#interrupted = true;
    return serverContentMessage({ interrupted: true });
  }

  #done(response: JsonRecord): ClientResult {
    this.#responses.delete(responseId(response));
    const { status } = response;
    const usage = usageMetadataOf(response["usage"]);
    if (status === "failed") return { messages: [], failure: responseFailure(response) };
    const calls = completedCalls(response);
    if (calls.length > 0) {
      for (const { id } of calls) this.#calls.add(String(id));
      return { messages: [withoutUndefined({ toolCall: { functionCalls: calls }, usageMetadata: usage })] };
    }
    const before = status === "cancelled" ? this.#interrupt() : serverContentMessage({ generationComplete: true });
    this.#interrupted = false;
    return {
      messages: [...before.messages, withoutUndefined({ serverContent: { turnComplete: true }, usageMetadata: usage })],
    };
  }
}

function audioPart(data: unknown): ClientResult {
  return modelTurn({ inlineData: { mimeType: "audio/pcm;rate=24000", data } });
}

function modelTurn(part: JsonRecord): ClientResult {
  return serverContentMessage({ modelTurn: { role: "model", parts: [part] } });
}

function serverContentMessage(serverContent: JsonRecord): ClientResult {
  return { messages: [{ serverContent }] };
}

function completedCalls({ status, output }: JsonRecord): readonly JsonRecord[] {
  if (status === "cancelled") return [];
  return asRecords(output)
    .filter(({ type }) => type === "function_call")
    .map(({ call_id: id, name, arguments: args }) => ({
      id,
      name,
      args: (typeof args === "string" ? parseRecord(args) : undefined) ?? {},
    }));
}

function responseFailure({ status_details: details }: JsonRecord): Failure {
  const { message } = asRecord(asRecord(details)["error"]);
  return new Failure("upstream_error", typeof message === "string" ? message : "The response failed.");
}

/** Converts an error of the vendor. The client's format has no error event, so the session ends. */
function vendorErrorResult(error: JsonRecord, isReady: boolean): ClientResult {
  const { code, type, message } = error;
  if (isReady && ignoredErrorCodes.has(code)) return noMessages;
  const text = typeof message === "string" ? message : "The vendor failed.";
  const reason = type === "invalid_request_error" ? "invalid_value" : "upstream_error";
  return { messages: [], failure: new Failure(reason, text) };
}

function usageMetadataOf(usage: unknown): JsonRecord | undefined {
  if (!isRecord(usage)) return undefined;
  const input = asRecord(usage["input_token_details"]);
  const cached = asRecord(input["cached_tokens_details"]);
  const [prompt, response] = [countOrZero(usage["input_tokens"]), countOrZero(usage["output_tokens"])];
  const audioOut = countOrZero(asRecord(usage["output_token_details"])["audio_tokens"]);
  const allCached = countOrZero(input["cached_tokens"]);
  return {
    promptTokenCount: prompt,
    promptTokensDetails: inputModalityDetails(prompt, input),
    ...(allCached > 0
      ? { cachedContentTokenCount: allCached, cacheTokensDetails: inputModalityDetails(allCached, cached) }
      : {}),
    responseTokenCount: response,
    responseTokensDetails: modalityDetails({ TEXT: response - audioOut, AUDIO: audioOut }),
    totalTokenCount: prompt + response,
  };
}

function inputModalityDetails(
  all: number,
  { audio_tokens: audio, image_tokens: image }: JsonRecord,
): readonly JsonRecord[] {
  return modalityDetails({
    TEXT: all - countOrZero(audio) - countOrZero(image),
    AUDIO: countOrZero(audio),
    IMAGE: countOrZero(image),
  });
}

function modalityDetails(tokens: Readonly<Record<string, number>>): readonly JsonRecord[] {
  return Object.entries(tokens).flatMap(([modality, tokenCount]) => (tokenCount > 0 ? [{ modality, tokenCount }] : []));
}
