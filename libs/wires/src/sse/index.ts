// Server-sent events: frames out of bytes.
export { parseFrame, SseDecoder, type SseFrame } from "./decode.ts";
export { SseSplitter } from "./split.ts";
