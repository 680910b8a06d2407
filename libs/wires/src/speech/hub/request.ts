import type { SpeechWire } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import type { OwnMembers } from "../../kind/own-members.ts";

/** Media types of the formats of audio; `pcm` is 24 kHz, 16 bit, mono, without a header. */
export const speechFormats = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
} as const satisfies Record<string, `audio/${string}`>;
export type SpeechFormat = keyof typeof speechFormats;

/** A request for speech in the neutral form. */
export interface SpeechRequest {
  readonly model: string;
  readonly input: string;
  /** A vendor's name of a voice, or an object that names one: vendors have voices of their own. */
  readonly voice?: unknown;
  /** Manner of speaking. */
  readonly instructions?: string | undefined;
  readonly format: SpeechFormat;
  readonly speed?: number | undefined;
  /** Tells whether the client wants events with pieces of audio in Base64, rather than the audio's bytes alone. */
  readonly events: boolean;
  readonly own?: OwnMembers<SpeechWire> | undefined;
}

/** Counts the characters that speech is priced by: code points, so that no letter of any script counts twice. */
export function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns the voice of a request, by its name or as an object with its id; undefined for none. */
export function voiceOf({ voice }: Pick<SpeechRequest, "voice">): string | undefined {
  const named = isRecord(voice) ? voice["id"] : voice;
  return typeof named === "string" && named !== "" ? named : undefined;
}
