// The wire of transcripts.
export { transcriptsCodec } from "./openai/index.ts";
export { modelInForm } from "./openai/parse-request.ts";
export { asSrt, asText, asVtt } from "./hub/render.ts";
export type { FormEntry, TranscriptFormat, TranscriptsRequest } from "./hub/request.ts";
