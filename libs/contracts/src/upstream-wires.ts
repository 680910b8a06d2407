/** The wires of text that convert to each other. */
export const textWireNames = ["chat", "responses", "messages", "content", "converse"] as const;
export type TextWireName = (typeof textWireNames)[number];

/** Auxiliary endpoints of the text wires: each takes the requests of one of them for another purpose. */
export const auxiliaryTextWires = ["compact", "count-responses", "count-messages", "count-content"] as const;

/** The wires of vectors. */
export const vectorsWires = [
  "embeddings",
  "content-embeddings",
  "cohere-embeddings",
  "titan-embeddings",
  "predict-embeddings",
] as const;
export type VectorsWire = (typeof vectorsWires)[number];

/** The wires of ranking. */
export const rankingWires = ["jina-rerank", "cohere-rerank"] as const;
export type RankingWire = (typeof rankingWires)[number];

/** The wires of sessions. */
export const realtimeWires = ["realtime", "gemini-live"] as const;
export type RealtimeWire = (typeof realtimeWires)[number];

/** The wires of video tasks that clients speak too: one of them at every endpoint of interface section 4.5. */
export const videoStyles = ["videos", "video-generations", "kling-video", "jimeng-video"] as const;
export type VideoStyle = (typeof videoStyles)[number];

/** The wires of video tasks; the last ones only vendors speak. */
export const videoWires = [...videoStyles, "veo-video", "vertex-video", "wan-video", "seedance-video"] as const;
export type VideoWire = (typeof videoWires)[number];

/** The wires of speech that is written down, or written down in English. */
export const transcriptsWires = ["transcriptions", "translations"] as const;
export type TranscriptsWire = (typeof transcriptsWires)[number];

/** Wires of transcripts that only vendors speak. */
export const vendorTranscriptsWires = [
  "elevenlabs-transcripts",
  "deepgram-transcripts",
  "content-transcripts",
] as const;
export type VendorTranscriptsWire = (typeof vendorTranscriptsWires)[number];

/** The wires of speech that is made of text. */
export const speechWires = ["speech", "elevenlabs-speech", "deepgram-speech", "content-speech"] as const;
export type SpeechWire = (typeof speechWires)[number];

/** The wires of images; generated content is a wire of theirs too. */
export const imagesWires = [
  "images",
  "image-edits",
  "qwen-images",
  "qwen-image-tasks",
  "qwen-image-edit-tasks",
  "imagen",
  "vertex-imagen",
] as const;
export type ImagesWire = (typeof imagesWires)[number] | "content";

/** The formats that a vendor's endpoint may speak, best first where a model can be called in several. */
export const upstreamWires = [
  ...textWireNames,
  "completions",
  ...auxiliaryTextWires,
  ...vectorsWires,
  "moderations",
  ...rankingWires,
  ...realtimeWires,
  ...videoWires,
  ...transcriptsWires,
  ...vendorTranscriptsWires,
  ...speechWires,
  ...imagesWires,
] as const;
export type UpstreamWire = (typeof upstreamWires)[number];
