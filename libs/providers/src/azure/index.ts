import { openaiPaths } from "../openai/index.ts";
import { failureOf } from "../openai/failures.ts";
import type { Provider } from "../provider.ts";
import { requestsAt, type Addressed } from "../request.ts";

/** Version of the deployments' API where the base URL names none. */
const defaultVersion = "2024-10-21";
const realtimeVersion = "2025-04-01-preview";

/**
 * OpenAI's models at Azure. A base URL that ends in `/openai/v1` takes OpenAI's paths; any other is a resource's
 * address, with one deployment per model: `/openai/deployments/{model}/…?api-version=…`.
 */
export const azure: Provider = {
  name: "azure",
  wires: [
    "chat",
    "responses",
    "completions",
    "embeddings",
    "transcriptions",
    "translations",
    "speech",
    "images",
    "image-edits",
    "realtime",
  ],
  moreWires: ["compact", "moderations", "jina-rerank"],
  baseUrlQuery: true,
  request: requestsAt(address, ({ key }) => ({ "api-key": key })),
  failureOf,
};

function address({ baseUrl, wire, model }: Addressed): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, "");
  const path = openaiPaths[wire] ?? "";
  if (base.endsWith("/v1")) {
    url.pathname = base + path;
    if (wire === "realtime") url.searchParams.set("model", model);
  } else {
    const resource = base.endsWith("/openai") ? base : `${base}/openai`;
    // Responses name the model in the body, sessions in the query; neither is under a deployment's path.
    const isUnderV1 = wire === "responses" || wire === "realtime";
    url.pathname = isUnderV1 ? resource + path : `${resource}/deployments/${encodeURIComponent(model)}${path}`;
    if (wire === "realtime") url.searchParams.set("deployment", model);
    if (!url.searchParams.has("api-version"))
      url.searchParams.set("api-version", wire === "realtime" ? realtimeVersion : defaultVersion);
  }
  return url;
}
