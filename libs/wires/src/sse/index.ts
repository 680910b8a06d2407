// Splits streams into frames: server-sent events, and the interface that other framings implement.
export { parseFrame, parseFrameRecord } from "./decode.ts";
export { eventStreamFraming, type Frame, type FrameSplitter, type StreamFraming } from "./framing.ts";
export { SseDecoder, SseSplitter } from "./framing.ts";
export { isStreamStart, type StreamForm } from "./framing.ts";
