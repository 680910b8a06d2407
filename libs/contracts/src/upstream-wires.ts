/**
 * Wires (API formats) of text vendors. A client's request can be converted to each of them, and the answer back to the
 * client's wire.
 */
export const textWireNames = ["chat", "responses", "messages", "content", "interactions", "converse"] as const;
export type TextWireName = (typeof textWireNames)[number];

const agentPattern = /^(?:deep-research|antigravity|code-?mender)-/;

/**
 * Returns true for the model name of one of Google's agents. They work only in the background, over the interactions
 * wire.
 */
export function isAgent(name: string): boolean {
  return agentPattern.test(name);
}

/** Wires of endpoints that accept a request of a text wire, and count its tokens or compact its input. */
export const auxiliaryTextWires = ["compact", "count-responses", "count-messages", "count-content"] as const;

export const vectorsWires = [
  "embeddings",
  "content-embeddings",
  "cohere-embeddings",
  "titan-embeddings",
  "predict-embeddings",
] as const;
export type VectorsWire = (typeof vectorsWires)[number];

export const rankingWires = ["jina-rerank", "cohere-rerank"] as const;
export type RankingWire = (typeof rankingWires)[number];

/** Wires of realtime sessions that are converted into each other. */
export const realtimeWires = ["realtime", "gemini-live"] as const;
export type RealtimeWire = (typeof realtimeWires)[number];

/** All wires of realtime sessions. `gpt-live` is only passed through. */
export const sessionWires = [...realtimeWires, "gpt-live"] as const;
export type SessionWire = (typeof sessionWires)[number];

/** Wires of video tasks that clients and vendors use. */
export const clientVideoWires = ["videos", "video-generations", "kling-video", "jimeng-video"] as const;
export type ClientVideoWire = (typeof clientVideoWires)[number];

/** All wires of video tasks. Those after `clientVideoWires` are used only by vendors. */
export const videoWires = [...clientVideoWires, "veo-video", "vertex-video", "wan-video", "seedance-video"] as const;
export type VideoWire = (typeof videoWires)[number];

/** Wires of speech recognition that clients and vendors use: transcription, and translation into English. */
export const transcriptsWires = ["transcriptions", "translations"] as const;
export type TranscriptsWire = (typeof transcriptsWires)[number];

/** Wires of speech recognition that only vendors use. */
export const vendorTranscriptsWires = [
  "elevenlabs-transcripts",
  "deepgram-transcripts",
  "content-transcripts",
] as const;
export type VendorTranscriptsWire = (typeof vendorTranscriptsWires)[number];

export const speechWires = ["speech", "elevenlabs-speech", "deepgram-speech", "content-speech"] as const;
export type SpeechWire = (typeof speechWires)[number];

/** Wires of images, except `content`, which is also a text wire. */
export const imagesWires = [
  "images",
  "image-edits",
  "qwen-images",
  "qwen-image-tasks",
  "qwen-image-edit-tasks",
  "imagen",
  "vertex-imagen",
] as const;

/** Wires for the generation and for the editing of images, best first. */
export const imageGenerationWires = [
  "images",
  "qwen-images",
  "qwen-image-tasks",
  "content",
  "imagen",
  "vertex-imagen",
] as const satisfies readonly ImagesWire[];
export const imageEditWires = [
  "image-edits",
  "qwen-images",
  "qwen-image-edit-tasks",
  "content",
  "images",
] as const satisfies readonly ImagesWire[];
export type ImagesWire = (typeof imagesWires)[number] | "content";

/** All wires that a vendor's endpoint may support, the preferred ones first. */
export const upstreamWires = [
  ...textWireNames,
  "completions",
  ...auxiliaryTextWires,
  ...vectorsWires,
  "moderations",
  ...rankingWires,
  ...sessionWires,
  ...videoWires,
  ...transcriptsWires,
  ...vendorTranscriptsWires,
  ...speechWires,
  ...imagesWires,
] as const;
export type UpstreamWire = (typeof upstreamWires)[number];
