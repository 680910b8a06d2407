import type { VectorsWire } from "@modelgate/contracts";
import { cohereEmbeddings } from "./cohere/index.ts";
import { batchEmbedContentsCodec } from "./content/index.ts";
import { embeddingsCodec } from "./embeddings/index.ts";
import type { VectorsVendorCodec } from "./hub/codec.ts";
import { predictEmbeddings } from "./predict/index.ts";
import { titanEmbeddings } from "./titan/index.ts";

/** Every wire that vendors of vectors speak: one line each. */
export const vectorsCodecs: Readonly<Record<VectorsWire, VectorsVendorCodec>> = {
  embeddings: embeddingsCodec,
  "content-embeddings": batchEmbedContentsCodec,
  "cohere-embeddings": cohereEmbeddings,
  "titan-embeddings": titanEmbeddings,
  "predict-embeddings": predictEmbeddings,
};
