import type { VendorTranscriptsWire } from "@modelgate/contracts";
import { contentTranscripts } from "./content/index.ts";
import { deepgramTranscripts } from "./deepgram/index.ts";
import { elevenlabsTranscripts } from "./elevenlabs/index.ts";
import type { VendorTranscriptsCodec } from "./hub/vendor-codec.ts";

/** Every wire of transcripts that only vendors speak: one line each. */
export const vendorTranscriptsCodecs: Readonly<Record<VendorTranscriptsWire, VendorTranscriptsCodec>> = {
  "elevenlabs-transcripts": elevenlabsTranscripts,
  "deepgram-transcripts": deepgramTranscripts,
  "content-transcripts": contentTranscripts,
};
