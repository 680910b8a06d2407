import type { SpeechWire, Units } from "@modelgate/contracts";
import { isRecord } from "@modelgate/formats/json";
import type { AdditionalMembers } from "../../kind/index.ts";
import type { Frame } from "@modelgate/formats/sse";
import type { ClientSide, Rendered, Target, VendorSide } from "../../wire.ts";

/** Media types of audio formats; `pcm` is 24 kHz, 16 bits, mono, without a header. */
export const speechFormats = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
} as const satisfies Record<string, `audio/${string}`>;
export type SpeechFormat = keyof typeof speechFormats;

export interface SpeechRequest {
  readonly model: string;
  readonly input: string;
  /** Voice: its name at the vendor, or an object with its id. */
  readonly voice?: unknown;
  readonly instructions?: string | undefined;
  readonly format: SpeechFormat;
  /** True if the client did not choose the format. */
  readonly isDefaultFormat?: boolean | undefined;
  readonly speed?: number | undefined;
  /** True if the client wants events with audio in Base64, false for plain audio bytes. */
  readonly events: boolean;
  readonly own?: AdditionalMembers<SpeechWire> | undefined;
}

/** Counts the characters that speech is priced by: code points, so that a letter of any script counts once. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export function voiceName({ voice }: Pick<SpeechRequest, "voice">): string | undefined {
  const voiceId = isRecord(voice) ? voice["id"] : voice;
  return typeof voiceId === "string" && voiceId !== "" ? voiceId : undefined;
}

export function nonDefaultSpeed(speed: number | undefined): number | undefined {
  return speed === 1 ? undefined : speed;
}

export type SpeechEvent =
  | { readonly kind: "audio"; readonly bytes: Buffer }
  /** The speech is complete; `usage` is undefined if the vendor reports none. */
  | { readonly kind: "done"; readonly usage: Units | undefined }
  | { readonly kind: "error" }
  | { readonly kind: "other" };

/** Speech from a vendor's JSON answer, decoded to 16-bit mono samples. */
export interface SpeechAnswer {
  readonly samples: Buffer;
  readonly rate: number;
  readonly usage: Units | undefined;
}

export interface SpeechTarget extends Target {
  /** True if the vendor must send events; the client may still get plain audio. */
  readonly events: boolean;
}

/** The vendor side of a speech wire. Without `parse`, it answers with audio or events, otherwise with audio in JSON. */
export interface SpeechVendor extends VendorSide<SpeechRequest, SpeechAnswer> {
  render(request: SpeechRequest, target: SpeechTarget): Rendered;
  stream?(): { read(frame: Frame): SpeechEvent };
}

export interface SpeechOutput {
  readonly audio: Buffer;
  readonly contentType: string;
}

export interface SpeechClient extends ClientSide<SpeechRequest, SpeechAnswer, SpeechRequest, SpeechOutput> {
  stream(): { write(event: SpeechEvent): string };
}
