// The wire of speech.
export { askOfSpeech, reliedOfSpeech } from "./openai/ask.ts";
export { speechCodec } from "./openai/index.ts";
export { charactersIn, speechFormats, type SpeechRequest } from "./hub/request.ts";
