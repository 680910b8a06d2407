import { failureOf } from "../openai/failures.ts";
import type { Provider } from "../provider.ts";
import { requestsAt } from "../request.ts";

/** Cohere's rerank, under `https://api.cohere.com`; errors are `{message}`. */
export const cohere: Provider = {
  name: "cohere",
  title: "Cohere",
  baseUrl: "https://api.cohere.com",
  keyVariable: "CO_API_KEY",
  pricesAs: "cohere",
  wires: ["cohere-rerank"],
  request: requestsAt(
    ({ baseUrl }) => new URL(`${baseUrl.replace(/\/+$/, "").replace(/\/v[12]$/, "")}/v2/rerank`),
    ({ key }) => ({ authorization: `Bearer ${key}` }),
  ),
  failureOf,
};
