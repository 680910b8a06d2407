import type { CallStatus, Units } from "@modelgate/contracts";
import { ownEntry, asRecord, asRecords, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { eventType, parseEvent, type RealtimeMessage } from "./message.ts";
import { parseCount } from "../../text/hub/counts.ts";

/** Event in a message to the client that affects the session or its charge. */
export type SeenEvent =
  | { readonly kind: "delta"; readonly audioBytes: number; readonly textBytes: number }
  | { readonly kind: "response-begun"; readonly id: string }
  /** `units` is undefined if the vendor reported no usage. */
  | {
      readonly kind: "response-done";
      readonly id: string;
      readonly units: Units | undefined;
      readonly callStatus: CallStatus;
    }
  /** The client's speech became a conversation item. */
  | { readonly kind: "committed"; readonly item: string }
  | { readonly kind: "speech-began" }
  /** The vendor discarded speech that was not part of a turn. */
  | { readonly kind: "cleared" }
  /** `textBytes` is the size of the transcript. */
  | {
      readonly kind: "transcribed";
      readonly id: string;
      readonly item: string;
      readonly units: Units | undefined;
      readonly textBytes: number;
    }
  | { readonly kind: "not-transcribed"; readonly item: string }
  /** Seconds since the start of the session. `isFinal` is true for the last report. */
  | { readonly kind: "session-usage"; readonly seconds: number | undefined; readonly isFinal: boolean }
  /** The vendor refused to commit a turn, because its input buffer is empty. */
  | { readonly kind: "commit-refused" }
  | { readonly kind: "error" }
  | { readonly kind: "other" };

const otherEvent: SeenEvent = { kind: "other" };
/** Approximate bytes of an event without its payload. */
const envelopeBytes = 200;
/** Bytes of text that have about as many tokens as an image. */
export const textBytesPerImage = 4_000;

/** Inspects a message to the client. For speed, only messages that matter for billing are parsed. */
export function inspectEvent({ data, binary }: RealtimeMessage): SeenEvent {
  if (binary) return otherEvent;
  const type = eventType(data);
  if (type === undefined) return otherEvent;
  if (type.endsWith(".delta")) return readDelta(type, data);
  return handlers[type]?.(parseEvent(data) ?? {}) ?? otherEvent;
}

/** Measures the model's input in a client's event, in approximate bytes. */
export function measureEvent(type: string | undefined, data: Buffer): ModelInput {
  if (type === "input_audio_buffer.append")
    return { audioBytes: (Math.max(0, data.length - envelopeBytes) * 3) / 4, textBytes: 0 };
  const member = type === undefined ? undefined : ownEntry(inputMemberByEvent, type);
  if (member === undefined) return noInput;
  const record = asRecord(parseEvent(data)?.[member]);
  return member === "item" ? measureItem(record) : measureSettings(record);
}

export const noInput: ModelInput = { audioBytes: 0, textBytes: 0 };
const inputMemberByEvent: Readonly<Record<string, "item" | "response" | "session">> = {
  "conversation.item.create": "item",
  "response.create": "response",
  "session.update": "session",
};

/** Measures instructions, tools and input, all of which the model reads. */
function measureSettings({ instructions, tools, input }: JsonRecord): ModelInput {
  const textBytes = utf8Bytes(instructions) + (Array.isArray(tools) ? utf8Bytes(JSON.stringify(tools)) : 0);
  return asRecords(input).map(measureItem).reduce(addInput, { audioBytes: 0, textBytes });
}

export function addInput(left: ModelInput, right: ModelInput): ModelInput {
  return { audioBytes: left.audioBytes + right.audioBytes, textBytes: left.textBytes + right.textBytes };
}

export interface ModelInput {
  readonly audioBytes: number;
  readonly textBytes: number;
}

/** Measures a conversation item. Base64 of samples and images is not measured as text. */
function measureItem(item: JsonRecord): ModelInput {
  const parts = asRecords(item["content"]);
  const imageCount = parts.filter(({ type }) => type === "input_image").length;
  const texts = [item["output"], item["arguments"], ...parts.map(({ text }) => text)];
  return {
    audioBytes: parts.reduce((sum, { audio }) => sum + (utf8Bytes(audio) * 3) / 4, 0),
    textBytes: texts.reduce<number>((sum, text) => sum + utf8Bytes(text), imageCount * textBytesPerImage),
  };
}

const handlers: Readonly<Record<string, (event: JsonRecord) => SeenEvent>> = {
  "response.created": ({ response }) => ({ kind: "response-begun", id: responseId(response) }),
  "response.done": ({ response }) => ({
    kind: "response-done",
    id: responseId(response),
    units: responseUnits(asRecord(response)["usage"]),
    callStatus: statusOfResponse(asRecord(response)["status"]),
  }),
  "input_audio_buffer.speech_started": () => ({ kind: "speech-began" }),
  "input_audio_buffer.cleared": () => ({ kind: "cleared" }),
  "input_audio_buffer.committed": ({ item_id: item }) => ({ kind: "committed", item: String(item) }),
  "conversation.item.input_audio_transcription.completed": ({
    item_id: item,
    content_index: index,
    usage,
    transcript,
  }) => ({
    kind: "transcribed",
    id: `${String(item)}/${String(index)}`,
    item: String(item),
    units: transcriptionUnits(usage),
    textBytes: utf8Bytes(transcript),
  }),
  "conversation.item.input_audio_transcription.failed": ({ item_id: item }) => ({
    kind: "not-transcribed",
    item: String(item),
  }),
  error: ({ error }) => ({
    kind: asRecord(error)["code"] === "input_audio_buffer_commit_empty" ? "commit-refused" : "error",
  }),
};

function readDelta(type: string, data: Buffer): SeenEvent {
  // A transcript of the client's speech is not output of the model.
  if (!type.startsWith("response.")) return otherEvent;
  if (type === "response.output_audio.delta" || type === "response.audio.delta")
    return { kind: "delta", audioBytes: (Math.max(0, data.length - envelopeBytes) * 3) / 4, textBytes: 0 };
  return { kind: "delta", audioBytes: 0, textBytes: utf8Bytes(parseEvent(data)?.["delta"]) };
}

export function utf8Bytes(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}

export function responseId(response: unknown): string {
  const { id } = asRecord(response);
  return typeof id === "string" ? id : "";
}

/**
 * Converts the usage of a `response.done` to units. Cached tokens of all kinds have one price. The vendor charges each
 * response for its complete context. The usage of a session is therefore the sum over its responses.
 */
export function responseUnits(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const input = asRecord(usage["input_token_details"]);
  const output = asRecord(usage["output_token_details"]);
  const cached = asRecord(input["cached_tokens_details"]);
  const inputTokens = countOrZero(usage["input_tokens"]);
  const outputTokens = countOrZero(usage["output_tokens"]);
  const audioIn = Math.min(countOrZero(input["audio_tokens"]), inputTokens);
  const audioOut = Math.min(countOrZero(output["audio_tokens"]), outputTokens);
  const allCached = Math.min(countOrZero(input["cached_tokens"]), inputTokens);
  // If the vendor does not report how many cached tokens were audio, the smallest possible number is assumed.
  const audioCached = Math.min(
    "audio_tokens" in cached ? countOrZero(cached["audio_tokens"]) : Math.max(0, allCached - (inputTokens - audioIn)),
    audioIn,
    allCached,
  );
  const imageIn = Math.min(countOrZero(input["image_tokens"]), inputTokens - audioIn);
  const textIn = inputTokens - audioIn - imageIn;
  const otherCached = Math.min(allCached - audioCached, textIn + imageIn);
  const imageCached = Math.max(
    Math.min(countOrZero(cached["image_tokens"]), imageIn, otherCached),
    otherCached - textIn,
  );
  return {
    requests: 1,
    ...unitsUnlessZero("inputTokens", textIn - (otherCached - imageCached)),
    ...unitsUnlessZero("cachedInputTokens", otherCached + audioCached),
    ...unitsUnlessZero("inputAudioTokens", audioIn - audioCached),
    ...unitsUnlessZero("inputImageTokens", imageIn - imageCached),
    ...unitsUnlessZero("outputTokens", outputTokens - audioOut),
    ...unitsUnlessZero("outputAudioTokens", audioOut),
    ...unitsUnlessZero("reasoningTokens", Math.min(countOrZero(output["reasoning_tokens"]), outputTokens - audioOut)),
  };
}

export function transcriptionUnits(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const { seconds } = usage;
  if (usage["type"] === "duration")
    return { requests: 1, seconds: typeof seconds === "number" && seconds > 0 ? seconds : 0 };
  return responseUnits(usage);
}

function statusOfResponse(status: unknown): CallStatus {
  if (status === "failed") return "failed";
  return status === "cancelled" ? "cancelled" : "completed";
}

/** Bytes of 24 kHz PCM for each token of input. */
const inputAudioBytesPerToken = 4_800;
/** Bytes of 24 kHz PCM for each token of output. */
const outputAudioBytesPerToken = 2_400;
const textBytesPerToken = 4;

/** Bytes that a session has sent and received since the last usage report. */
export interface SessionBytes {
  readonly audioIn: number;
  readonly textIn: number;
  readonly audioOut: number;
  readonly textOut: number;
}

export function estimateUnits({ audioIn, textIn, audioOut, textOut }: SessionBytes): Units {
  return {
    ...unitsUnlessZero("inputTokens", Math.ceil(textIn / textBytesPerToken)),
    ...unitsUnlessZero("outputTokens", Math.ceil(textOut / textBytesPerToken)),
    ...unitsUnlessZero("inputAudioTokens", Math.ceil(audioIn / inputAudioBytesPerToken)),
    ...unitsUnlessZero("outputAudioTokens", Math.ceil(audioOut / outputAudioBytesPerToken)),
  };
}

function unitsUnlessZero(name: keyof Units, amount: number): Units {
  return amount > 0 ? { [name]: amount } : {};
}

export function countOrZero(value: unknown): number {
  return parseCount(value) ?? 0;
}
