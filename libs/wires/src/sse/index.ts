// How streams are cut into frames: server-sent events, and what another framing has to give.
export { parseFrame, parseFrameRecord, SseDecoder } from "./decode.ts";
export { eventStreamFraming, type Frame, type FrameSplitter, type StreamFraming } from "./framing.ts";
export { SseSplitter } from "./framing.ts";
export { beginsIn, type StreamForm } from "./framing.ts";
