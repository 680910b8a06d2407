import type { SpeechWire, Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { OwnMembers } from "../../kind/index.ts";
import type { Frame } from "../../sse/framing.ts";
import type { ClientSide, Rendered, Target, VendorSide } from "../../wire.ts";

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

/** Returns a speed other than the usual one; undefined for the usual one. */
export function otherSpeed(speed: number | undefined): number | undefined {
  return speed === 1 ? undefined : speed;
}

/** An event of streamed speech. */
export type SpeechEvent =
  | { readonly kind: "audio"; readonly bytes: Buffer }
  /** The speech is whole; usage where the vendor reports any. */
  | { readonly kind: "done"; readonly usage: Units | undefined }
  /** The vendor failed. */
  | { readonly kind: "error" }
  /** Nothing that the gateway has to know. */
  | { readonly kind: "other" };

/** Speech in one piece of JSON: samples of 16 bits, one channel. */
export interface SpeechAnswer {
  readonly samples: Buffer;
  /** Samples per second. */
  readonly rate: number;
  readonly usage: Units | undefined;
}

/** The upstream of a request for speech. */
export interface SpeechTarget extends Target {
  /** Tells whether the request wants events, whatever the client wants. */
  readonly events: boolean;
}

/** A request for a vendor, with the part that its address holds. */
export interface RenderedSpeech extends Rendered {
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** The vendor side of a wire of speech: it answers with audio, with events, or with JSON that holds the audio. */
export interface SpeechVendor extends Pick<VendorSide<SpeechRequest, SpeechAnswer>, "render"> {
  render(request: SpeechRequest, target: SpeechTarget): RenderedSpeech;
  /** Parses JSON with the audio; absent: the answer is audio or events. Throws Failure upstream_error for any other body. */
  readonly parse?: (body: JsonRecord) => SpeechAnswer;
  /** Reads a frame of a stream; absent: the vendor sends none. Throws Failure upstream_error for an unreadable one. */
  event?(frame: Frame): SpeechEvent;
}

/** Audio for a client. */
export interface SpeechOutput {
  readonly audio: Buffer;
  readonly contentType: string;
}

/** The client side of a wire of speech. */
export interface SpeechClient extends ClientSide<SpeechRequest, SpeechAnswer, SpeechRequest, SpeechOutput> {
  audioEvent(bytes: Buffer): string;
  doneEvent(usage: Units): string;
}
