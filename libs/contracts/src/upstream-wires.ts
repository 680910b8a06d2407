/** The wires of video tasks: one of them is spoken at every endpoint of interface section 4.5. */
export const videoWires = ["videos", "video-generations", "kling-video", "jimeng-video"] as const;
export type VideoWire = (typeof videoWires)[number];

/** A format that a vendor's endpoint speaks. The text wires come first; the others are one endpoint each. */
export const upstreamWires = [
  "chat",
  "responses",
  "messages",
  "content",
  "completions",
  "compact",
  "count-messages",
  "count-content",
  "embeddings",
  "content-embeddings",
  "moderations",
  "jina-rerank",
  "cohere-rerank",
  "realtime",
  "gemini-live",
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
