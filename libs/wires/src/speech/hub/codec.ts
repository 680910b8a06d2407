import type { SpeechWire, Units } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { Parsed, Rendered } from "../../wire.ts";
import type { Frame } from "../../sse/framing.ts";
import type { SpeechRequest } from "./request.ts";

/** What an event of streamed speech says. */
export type SpeechEvent =
  | { readonly kind: "audio"; readonly bytes: Buffer }
  /** The speech is whole; usage where the vendor reports any. */
  | { readonly kind: "done"; readonly usage: Units | undefined }
  /** The vendor failed. */
  | { readonly kind: "error" }
  /** Nothing that the gateway has to know. */
  | { readonly kind: "other" };

/** A request as it is sent to a vendor, with what stands in its address. */
export interface RenderedSpeech extends Rendered {
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** Speech that came in one piece of JSON. */
export interface WholeSpeech {
  readonly audio: Buffer;
  readonly contentType: string;
  readonly usage: Units | undefined;
}

/** A wire of speech that only vendors speak: it answers with audio, or with JSON that holds it. */
export interface SpeechVendorCodec {
  readonly wire: SpeechWire;
  /** Throws Failure unsupported_parameter, its `param` in the neutral form's word, for what may not be lost. */
  renderRequest(request: SpeechRequest, target: { readonly model: string }): RenderedSpeech;
  /** Reads JSON with the audio; absent: the answer is audio. Throws Failure upstream_error for what is no speech. */
  readonly parseAnswer?: (body: JsonRecord, request: SpeechRequest) => WholeSpeech;
}

/** One wire of speech, both directions. Pure and synchronous. */
export interface SpeechCodec {
  readonly wire: SpeechWire;
  /** Client → hub. Throws Failure (400) naming the field that is wrong. */
  parseRequest(body: JsonRecord): Parsed<SpeechRequest>;
  /** Hub → upstream; `events`: whether the vendor is asked for events, whatever the client asked for. */
  renderRequest(request: SpeechRequest, target: { readonly model: string; readonly events: boolean }): Rendered;
  /** Reads a frame of the vendor's stream. Throws Failure upstream_error if it cannot be read. */
  readEvent(frame: Frame): SpeechEvent;
  /** A frame for the client: a piece of audio, or the end with what it used. */
  writeAudio(bytes: Buffer): string;
  writeDone(usage: Units): string;
  readonly spelling: Readonly<Partial<Record<keyof SpeechRequest, string>>>;
}
