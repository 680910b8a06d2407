import type { SpeechWire } from "@modelgate/contracts";
import { contentSpeech } from "./content/index.ts";
import { deepgramSpeech } from "./deepgram/index.ts";
import { elevenlabsSpeech } from "./elevenlabs/index.ts";
import type { SpeechVendorCodec } from "./hub/codec.ts";

/** Every wire of speech that only vendors speak: one line each. */
export const vendorSpeechCodecs: Readonly<Record<Exclude<SpeechWire, "speech">, SpeechVendorCodec>> = {
  "elevenlabs-speech": elevenlabsSpeech,
  "deepgram-speech": deepgramSpeech,
  "content-speech": contentSpeech,
};
