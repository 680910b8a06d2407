import type { ModelKind } from "./endpoints/endpoint.ts";
import {
  imagesWires,
  rankingWires,
  sessionWires,
  speechWires,
  textWireNames,
  transcriptsWires,
  vectorsWires,
  vendorTranscriptsWires,
  videoWires,
  type UpstreamWire,
} from "./upstream-wires.ts";

/** Wires in which models of each kind can be called, in order of preference. */
export const wiresOfKind: Readonly<Record<ModelKind, readonly UpstreamWire[]>> = {
  chat: [...textWireNames, "completions"],
  completion: ["completions", ...textWireNames],
  embedding: vectorsWires,
  rerank: rankingWires,
  moderation: ["moderations", ...textWireNames],
  image: [...imagesWires, "content"],
  video: videoWires,
  transcription: [...transcriptsWires, ...vendorTranscriptsWires],
  speech: speechWires,
  realtime: sessionWires,
};
