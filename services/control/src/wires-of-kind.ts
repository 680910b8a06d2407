import { realtimeWires, textWires, videoWires, type ModelKind, type UpstreamWire } from "@modelgate/contracts";

/** The wires that models of a kind are called in. */
export const wiresOfKind: Readonly<Record<ModelKind, readonly UpstreamWire[]>> = {
  chat: [...textWires, "completions"],
  completion: ["completions", ...textWires],
  embedding: ["embeddings", "content-embeddings"],
  rerank: ["jina-rerank", "cohere-rerank"],
  moderation: ["moderations", ...textWires],
  image: ["images", "image-edits", "qwen-images", "qwen-image-tasks", "qwen-image-edit-tasks", "content"],
  video: videoWires,
  transcription: ["transcriptions", "translations"],
  speech: ["speech"],
  realtime: realtimeWires,
};
