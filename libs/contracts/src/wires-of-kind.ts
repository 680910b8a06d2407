import type { ModelKind } from "./endpoints/endpoint.ts";
import {
  imagesWires,
  rankingWires,
  realtimeWires,
  speechWires,
  textWires,
  transcriptsWires,
  vectorsWires,
  vendorTranscriptsWires,
  videoWires,
  type UpstreamWire,
} from "./upstream-wires.ts";

/** The wires that models of a kind are called in. */
export const wiresOfKind: Readonly<Record<ModelKind, readonly UpstreamWire[]>> = {
  chat: [...textWires, "completions"],
  completion: ["completions", ...textWires],
  embedding: vectorsWires,
  rerank: rankingWires,
  moderation: ["moderations", ...textWires],
  image: [...imagesWires, "content"],
  video: videoWires,
  transcription: [...transcriptsWires, ...vendorTranscriptsWires],
  speech: speechWires,
  realtime: realtimeWires,
};
