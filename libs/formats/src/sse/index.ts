// Functions that split streams into frames: server-sent events, and an interface for other framings.
export { parseFrame, parseFrameRecord, replaceFrameJson, type Frame } from "./decode.ts";
export { eventStreamFraming, type FrameSplitter, type StreamFraming } from "./framing.ts";
export { keepAlive, SseDecoder, SseSplitter } from "./framing.ts";
export { isStreamStart, type StreamForm } from "./framing.ts";
