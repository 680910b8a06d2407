// Wires of embeddings.
export { askOfEmbeddings, reliedOfEmbeddings } from "./embeddings/ask.ts";
export { embeddingsCodec } from "./embeddings/index.ts";
export { askOfBatchEmbedContents, askOfEmbedContent, reliedOfContentEmbeddings } from "./content/ask.ts";
export { batchEmbedContentsCodec, embedContentCodec } from "./content/index.ts";
export { vectorsCodecs } from "./codecs.ts";
export { askOfCohereEmbed, cohereEmbedCodec, reliedOfCohereEmbed } from "./for-clients/cohere.ts";
export { askOfOllamaEmbed, ollamaEmbedCodec, reliedOfOllamaEmbed } from "./for-clients/ollama.ts";
export type { ClientVectorsCodec } from "./hub/codec.ts";
export type { VectorsRequest } from "./hub/request.ts";
