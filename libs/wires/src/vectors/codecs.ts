import type { VectorsWire } from "@modelgate/contracts";
import { cohereEmbeddings } from "./cohere/index.ts";
import { batchEmbedContentsCodec } from "./content/index.ts";
import { mostInBatch } from "./content/render-request.ts";
import { embeddingsCodec } from "./embeddings/index.ts";
import type { VectorsVendorCodec } from "./hub/codec.ts";
import { mostInputs } from "./hub/request.ts";
import { predictEmbeddings } from "./predict/index.ts";
import { titanEmbeddings } from "./titan/index.ts";

/** Every wire that vendors of vectors speak: one line each. */
export const vectorsCodecs: Readonly<Record<VectorsWire, VectorsVendorCodec>> = {
  embeddings: { ...embeddingsCodec, mostInputs: () => mostInputs },
  "content-embeddings": { ...batchEmbedContentsCodec, mostInputs: () => mostInBatch },
  "cohere-embeddings": cohereEmbeddings,
  "titan-embeddings": titanEmbeddings,
  "predict-embeddings": predictEmbeddings,
};
