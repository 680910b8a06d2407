import type { VectorsWire } from "@modelgate/contracts";
import type { UnstreamedWire } from "../kind/index.ts";
import { cohere } from "./cohere/index.ts";
import { contentEmbeddings, embedContent } from "./content/index.ts";
import { embeddings } from "./embeddings/index.ts";
import type { VectorsRequest } from "./hub/request.ts";
import type { VectorsAnswer, VectorsVendor } from "./hub/answer.ts";
import { ollama } from "./ollama/index.ts";
import { predict } from "./predict/index.ts";
import { titan } from "./titan/index.ts";

export type { VectorsAnswer, VectorsVendor } from "./hub/answer.ts";
export { measureInput, type VectorsRequest } from "./hub/request.ts";

export const wires = {
  embeddings,
  "content-embeddings": contentEmbeddings,
  "cohere-embeddings": cohere,
  "titan-embeddings": titan,
  "predict-embeddings": predict,
  "embed-content": embedContent,
  "ollama-embed": ollama,
} as const satisfies Readonly<
  Record<VectorsWire | "embed-content" | "ollama-embed", UnstreamedWire<VectorsRequest, VectorsAnswer, VectorsVendor>>
>;
