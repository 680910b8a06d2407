import { openai } from "../openai/index.ts";
import type { Provider } from "../provider.ts";

export const jina: Provider = {
  ...openai,
  name: "jina",
  title: "Jina",
  baseUrl: "https://api.jina.ai/v1",
  keyVariable: "JINA_API_KEY",
  pricesAs: undefined,
  modelsAt: undefined,
  wires: ["jina-rerank", "embeddings"],
  moreWires: openai.wires,
};
