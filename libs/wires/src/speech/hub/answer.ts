import type { Units } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { Frame } from "../../sse/framing.ts";
import type { ClientSide, Rendered, Target, VendorSide } from "../../wire.ts";
import type { SpeechRequest } from "./request.ts";

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
  /** Tells whether the vendor is asked for events, whatever the client wants. */
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
  /** Renders a piece of audio as an event. */
  audioEvent(bytes: Buffer): string;
  /** Renders the last event, with the usage. */
  doneEvent(usage: Units): string;
}
