// The wires of speech.
export { vendorSpeechCodecs } from "./codecs.ts";
export type { SpeechVendorCodec } from "./hub/codec.ts";
export { askOfSpeech, reliedOfSpeech } from "./openai/ask.ts";
export { speechCodec } from "./openai/index.ts";
export { charactersIn, speechFormats, type SpeechRequest } from "./hub/request.ts";
