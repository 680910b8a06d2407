import type { TranscriptsWire, VendorTranscriptsWire } from "@modelgate/contracts";
import type { Wire } from "../wire.ts";
import { content } from "./content/index.ts";
import { deepgram } from "./deepgram/index.ts";
import { elevenlabs } from "./elevenlabs/index.ts";
import type { TranscriptsClient, TranscriptsVendor } from "./hub/index.ts";
import { transcriptions, translations } from "./openai/index.ts";

export { renderTranscriptJson, renderSrt, renderText, renderVtt } from "./hub/index.ts";
export type { FormEntry, RenderedTranscripts, Transcript, TranscriptFormat } from "./hub/index.ts";
export type { TranscriptsRequest, TranscriptsVendor } from "./hub/index.ts";
export { modelInForm } from "./openai/index.ts";

export const wires = {
  transcriptions,
  translations,
  "elevenlabs-transcripts": elevenlabs,
  "deepgram-transcripts": deepgram,
  "content-transcripts": content,
} as const satisfies Readonly<
  Record<TranscriptsWire | VendorTranscriptsWire, Wire<TranscriptsVendor, TranscriptsClient>>
>;
