// The wires of transcripts.
export { vendorTranscriptsCodecs } from "./codecs.ts";
export { asJson } from "./hub/render-json.ts";
export type { Transcript } from "./hub/answer.ts";
export type { RenderedTranscripts, VendorTranscriptsCodec } from "./hub/vendor-codec.ts";
export { transcriptsCodec } from "./openai/index.ts";
export { modelInForm } from "./openai/parse-request.ts";
export { asSrt, asText, asVtt } from "./hub/render.ts";
export type { FormEntry, TranscriptFormat, TranscriptsRequest } from "./hub/request.ts";
