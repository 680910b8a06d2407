/** The wires of video tasks: one of them is spoken at every endpoint of interface section 4.5. */
export const videoWires = ["videos", "video-generations", "kling-video", "jimeng-video"] as const;
export type VideoWire = (typeof videoWires)[number];

/** The wires of text: clients and vendors speak each of them. */
export const textWires = ["chat", "responses", "messages", "content"] as const;
export type TextWire = (typeof textWires)[number];

/** The wires of sessions. */
export const realtimeWires = ["realtime", "gemini-live"] as const;
export type RealtimeWire = (typeof realtimeWires)[number];

/** A format that a vendor's endpoint speaks. The text wires come first; the others are one endpoint each. */
export const upstreamWires = [
  ...textWires,
  "completions",
  "compact",
  "count-messages",
  "count-content",
  "embeddings",
  "content-embeddings",
  "moderations",
  "jina-rerank",
  "cohere-rerank",
  ...realtimeWires,
  ...videoWires,
  "transcriptions",
  "translations",
  "speech",
  "images",
  "image-edits",
  "qwen-images",
  "qwen-image-tasks",
  "qwen-image-edit-tasks",
] as const;
export type UpstreamWire = (typeof upstreamWires)[number];
