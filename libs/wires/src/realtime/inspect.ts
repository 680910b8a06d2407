import type { Outcome, Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord, own } from "../json/fields.ts";
import { eventType, parseEvent, type RealtimeMessage } from "./message.ts";
import { responseOutcome, responseUnits, transcriptionUnits } from "./usage.ts";

/** Meaning of a message to the client for its session and its bill. */
export type SeenEvent =
  | { readonly kind: "delta"; readonly audioBytes: number; readonly textBytes: number }
  | { readonly kind: "response-begun"; readonly id: string }
  /** `units` is undefined where the vendor reported no usage. */
  | {
      readonly kind: "response-done";
      readonly id: string;
      readonly units: Units | undefined;
      readonly outcome: Outcome;
    }
  /** The client's speech became an item of the conversation. */
  | { readonly kind: "committed"; readonly item: string }
  /** The vendor hears the client begin to speak. */
  | { readonly kind: "speech-began" }
  /** The vendor forgot speech that it had made no turn of. */
  | { readonly kind: "cleared" }
  /** It was written down, once for each of its parts; `units` as above, `textBytes` is what was written. */
  | {
      readonly kind: "transcribed";
      readonly id: string;
      readonly item: string;
      readonly units: Units | undefined;
      readonly textBytes: number;
    }
  | { readonly kind: "not-transcribed"; readonly item: string }
  | { readonly kind: "error" }
  | { readonly kind: "other" };

const other: SeenEvent = { kind: "other" };
/** Approximate bytes of an event without its payload: ids, indices, names. */
const envelopeBytes = 200;
/** Text that has about as many tokens as a picture: a thousand. */
export const pictureTextBytes = 4_000;

/** Inspects a message on its way to the client. Only what is billed or counted is parsed: audio passes at a glance. */
export function inspectEvent({ data, binary }: RealtimeMessage): SeenEvent {
  if (binary) return other;
  const type = eventType(data);
  if (type === undefined) return other;
  if (type.endsWith(".delta")) return deltaOf(type, data);
  return handlers[type]?.(parseEvent(data) ?? {}) ?? other;
}

/** Measures the input to the model in a client's event, in approximate bytes of audio and of text. */
export function inputOf(type: string | undefined, data: Buffer): ModelInput {
  if (type === "input_audio_buffer.append")
    return { audioBytes: (Math.max(0, data.length - envelopeBytes) * 3) / 4, textBytes: 0 };
  const member = type === undefined ? undefined : own(readByModel, type);
  const found = member === undefined ? undefined : parseEvent(data)?.[member];
  if (!isRecord(found)) return noInput;
  return member === "item" ? inputOfItem(found) : inputOfSettings(found);
}

const noInput: ModelInput = { audioBytes: 0, textBytes: 0 };
/** Events with something that the model reads, and the member that it stands in. */
const readByModel: Readonly<Record<string, "item" | "response" | "session">> = {
  "conversation.item.create": "item",
  "response.create": "response",
  "session.update": "session",
};

/** Instructions and tools are read by every response, and the items of a response's own input by that one. */
function inputOfSettings({ instructions, tools, input }: JsonRecord): ModelInput {
  const items = Array.isArray(input) ? input.filter(isRecord).map(inputOfItem) : [];
  const settings = bytesIn(instructions) + (Array.isArray(tools) ? bytesIn(JSON.stringify(tools)) : 0);
  return {
    audioBytes: items.reduce((sum, { audioBytes }) => sum + audioBytes, 0),
    textBytes: items.reduce((sum, { textBytes }) => sum + textBytes, settings),
  };
}

/** Input to a model, in bytes. */
export interface ModelInput {
  readonly audioBytes: number;
  readonly textBytes: number;
}

/** Samples and pictures come in Base64 beside the words, and are no text. */
function inputOfItem(item: JsonRecord): ModelInput {
  const content: unknown = item["content"];
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  const pictures = parts.filter(({ type }) => type === "input_image").length;
  const words = [item["output"], item["arguments"], ...parts.map(({ text }) => text)];
  return {
    audioBytes: parts.reduce((sum, { audio }) => sum + (bytesIn(audio) * 3) / 4, 0),
    textBytes: words.reduce<number>((sum, text) => sum + bytesIn(text), pictures * pictureTextBytes),
  };
}

const handlers: Readonly<Record<string, (event: JsonRecord) => SeenEvent>> = {
  "response.created": ({ response }) => ({ kind: "response-begun", id: idOf(response) }),
  "response.done": ({ response }) => ({
    kind: "response-done",
    id: idOf(response),
    units: isRecord(response) ? responseUnits(response["usage"]) : undefined,
    outcome: responseOutcome(isRecord(response) ? response["status"] : undefined),
  }),
  "input_audio_buffer.speech_started": () => ({ kind: "speech-began" }),
  "input_audio_buffer.cleared": () => ({ kind: "cleared" }),
  "input_audio_buffer.committed": ({ item_id: item }) => ({ kind: "committed", item: String(item) }),
  "conversation.item.input_audio_transcription.completed": ({ item_id: item, content_index: index, ...said }) => ({
    kind: "transcribed",
    id: `${String(item)}/${String(index)}`,
    item: String(item),
    units: transcriptionUnits(said["usage"]),
    textBytes: bytesIn(said["transcript"]),
  }),
  "conversation.item.input_audio_transcription.failed": ({ item_id: item }) => ({
    kind: "not-transcribed",
    item: String(item),
  }),
  error: () => ({ kind: "error" }),
};

function deltaOf(type: string, data: Buffer): SeenEvent {
  // The client's own words, written down, are no output of the model.
  if (!type.startsWith("response.")) return other;
  if (type === "response.output_audio.delta" || type === "response.audio.delta")
    return { kind: "delta", audioBytes: (Math.max(0, data.length - envelopeBytes) * 3) / 4, textBytes: 0 };
  return { kind: "delta", audioBytes: 0, textBytes: bytesIn(parseEvent(data)?.["delta"]) };
}

function bytesIn(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}

function idOf(response: unknown): string {
  const id = isRecord(response) ? response["id"] : undefined;
  return typeof id === "string" ? id : "";
}
