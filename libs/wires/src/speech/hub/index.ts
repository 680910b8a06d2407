import type { SpeechWire, Units } from "@modelgate/contracts";
import { isRecord } from "@modelgate/formats/json";
import type { AdditionalMembers } from "../../kind/index.ts";
import type { Frame } from "@modelgate/formats/sse";
import type { ClientSide, Rendered, Target, VendorSide } from "../../wire.ts";

/** Media types of audio formats. `pcm` is 24 kHz, 16 bits, mono, without a header. */
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
  /** Name of the voice, or an object with its id. */
  readonly voice?: unknown;
  readonly instructions?: string | undefined;
  readonly format: SpeechFormat;
  readonly isDefaultFormat?: boolean | undefined;
  readonly speed?: number | undefined;
  /** True if the client wants events with audio in Base64, false for plain audio. */
  readonly events: boolean;
  readonly additional?: AdditionalMembers<SpeechWire> | undefined;
}

/** Counts the code points of a text. Speech is priced by them. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export function voiceName({ voice }: Pick<SpeechRequest, "voice">): string | undefined {
  const voiceId = isRecord(voice) ? voice["id"] : voice;
  return typeof voiceId === "string" && voiceId !== "" ? voiceId : undefined;
}

/** Returns a speed that the vendor accepts; undefined for another one. */
export function speedWithin(speed: number | undefined, min: number, max: number): number | undefined {
  return speed !== undefined && speed >= min && speed <= max ? speed : undefined;
}

export function nonDefaultSpeed(speed: number | undefined): number | undefined {
  return speed === 1 ? undefined : speed;
}

export type SpeechEvent =
  | { readonly kind: "audio"; readonly bytes: Buffer }
  | { readonly kind: "done"; readonly usage: Units | undefined }
  | { readonly kind: "error" }
  | { readonly kind: "other" };

/** Speech from a vendor's JSON answer, as 16-bit mono samples. */
export interface SpeechAnswer {
  readonly samples: Buffer;
  readonly rate: number;
  readonly usage: Units | undefined;
}

export interface SpeechTarget extends Target {
  /** True if the vendor must send events. The client may still get plain audio. */
  readonly events: boolean;
}

/** Vendor side of a speech wire. Without `parse`, the vendor answers with audio or events instead of JSON. */
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
