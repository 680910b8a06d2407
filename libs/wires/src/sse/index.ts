// Server-sent events: frames out of bytes.
export { SseDecoder, type SseFrame } from "./decode.ts";
export { SseSplitter } from "./split.ts";
