import type { VendorVideoCodec } from "../hub/codec.ts";
import { filmIn, parseStarted, sightingOf, videosOfGemini, videosOfVertex } from "./parse-answer.ts";
import { defaultSeconds, renderFor } from "./render-request.ts";

/** Veo at the Gemini API (`predictLongRunning`, https://ai.google.dev/gemini-api/docs/video); its films are files behind the key. */
export const veoCodec: VendorVideoCodec = {
  wire: "veo-video",
  defaultSeconds,
  renderRequest: renderFor({ takesSeed: false, extras: ["personGeneration"] }),
  parseStarted,
  parseSighting: sightingOf(videosOfGemini),
  takesBytesOnly: true,
};

/**
 * Veo at Vertex AI (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation):
 * its films are in the answer, or in a bucket of Google Cloud Storage.
 */
export const vertexVideoCodec: VendorVideoCodec = {
  wire: "vertex-video",
  defaultSeconds,
  renderRequest: renderFor({
    takesSeed: true,
    extras: ["personGeneration", "enhancePrompt", "generateAudio", "resizeMode", "compressionQuality"],
  }),
  parseStarted,
  parseSighting: sightingOf(videosOfVertex),
  takesBytesOnly: true,
  filmIn,
};
