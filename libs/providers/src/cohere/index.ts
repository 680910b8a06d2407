import { failureOf } from "../openai/failures.ts";
import type { Provider } from "../provider.ts";
import { requestBuilder } from "../request.ts";

export const cohere: Provider = {
  name: "cohere",
  title: "Cohere",
  baseUrl: "https://api.cohere.com",
  keyVariable: "CO_API_KEY",
  pricesAs: "cohere",
  wires: ["cohere-rerank", "cohere-embeddings"],
  request: requestBuilder(
    ({ baseUrl, wire }) => {
      const action = wire === "cohere-embeddings" ? "embed" : "rerank";
      return new URL(`${baseUrl.replace(/\/+$/, "").replace(/\/v[12]$/, "")}/v2/${action}`);
    },
    ({ key }) => ({ authorization: `Bearer ${key}` }),
  ),
  failureOf,
};
