import type { ImagesVendorCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { renderAtGemini, renderAtVertex } from "./render-request.ts";

const both = { begins: "image", needsBytes: false, streams: false, parseAnswer } as const;

/** Imagen at the Gemini API (:predict). */
export const imagen: ImagesVendorCodec = { ...both, wire: "imagen", renderRequest: renderAtGemini };

/** Imagen at Google Cloud's Vertex AI, which takes more. */
export const vertexImagen: ImagesVendorCodec = { ...both, wire: "vertex-imagen", renderRequest: renderAtVertex };
