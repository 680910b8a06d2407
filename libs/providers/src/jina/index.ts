import { openai } from "../openai/index.ts";
import type { Provider } from "../provider.ts";

/** Jina: rerank and embeddings, under `https://api.jina.ai/v1`. */
export const jina: Provider = {
  ...openai,
  name: "jina",
  wires: ["jina-rerank", "embeddings"],
  moreWires: openai.wires,
};
