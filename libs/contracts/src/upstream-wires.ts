/** Wires (API formats) of text. Requests and answers can be converted between all of them. */
export const textWireNames = ["chat", "responses", "messages", "content", "interactions", "converse"] as const;
export type TextWireName = (typeof textWireNames)[number];

/** Matches names of Google's agents. A request of the interactions wire names an agent or a model. */
const agentPattern = /^(?:deep-research|antigravity|code-?mender)-/;

/**
 * Returns whether an upstream model is an agent. Agents work only in the background, and only by the interactions wire.
 */
export function isAgent(name: string): boolean {
  return agentPattern.test(name);
}

/**
 * Auxiliary endpoints of the text wires. Each accepts a request of one text wire, but does not generate an answer: it
 * counts tokens or compacts the input.
 */
export const auxiliaryTextWires = ["compact", "count-responses", "count-messages", "count-content"] as const;

/** Wires of embeddings. */
export const vectorsWires = [
  "embeddings",
  "content-embeddings",
  "cohere-embeddings",
  "titan-embeddings",
  "predict-embeddings",
] as const;
export type VectorsWire = (typeof vectorsWires)[number];

/** Wires of rerankers. */
export const rankingWires = ["jina-rerank", "cohere-rerank"] as const;
export type RankingWire = (typeof rankingWires)[number];

/** Wires of realtime sessions that are converted into each other. */
export const realtimeWires = ["realtime", "gemini-live"] as const;
export type RealtimeWire = (typeof realtimeWires)[number];

/** All wires of realtime sessions. `gpt-live` only passes between a client and a vendor that both use it. */
export const sessionWires = [...realtimeWires, "gpt-live"] as const;
export type SessionWire = (typeof sessionWires)[number];

/** Wires of video tasks that clients and vendors use, one for each client format. */
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

/** Wires of speech synthesis. */
export const speechWires = ["speech", "elevenlabs-speech", "deepgram-speech", "content-speech"] as const;
export type SpeechWire = (typeof speechWires)[number];

/** Wires of image generation, except content generation, which is also a text wire. */
export const imagesWires = [
  "images",
  "image-edits",
  "qwen-images",
  "qwen-image-tasks",
  "qwen-image-edit-tasks",
  "imagen",
  "vertex-imagen",
] as const;

/** Wires in which images can be generated, and those in which they can be edited, best first. Some wires serve both. */
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

/**
 * All wires that a vendor's endpoint may support. If a model can be called in several of them, the earlier ones are
 * preferred.
 */
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
