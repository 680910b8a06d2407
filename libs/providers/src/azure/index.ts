import { openaiPaths } from "../openai/index.ts";
import { failureOf } from "../openai/failures.ts";
import type { Provider } from "../provider.ts";
import { requestBuilder, type AddressedCall } from "../request.ts";

/** Version of the API for deployments, unless the base URL names one. */
const deploymentsVersion = "2024-10-21";
const realtimeVersion = "2025-04-01-preview";

/**
 * OpenAI's models at Azure. Base URLs that end in `/openai/v1` have OpenAI's paths. At other base URLs, most paths
 * contain a deployment.
 */
export const azure: Provider = {
  name: "azure",
  title: "Azure OpenAI",
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
  hasDeployments: true,
  request: requestBuilder(address, ({ key }) => ({ "api-key": key })),
  failureOf,
};

function address({ baseUrl, wire, model }: AddressedCall): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, "");
  const path = openaiPaths[wire] ?? "";
  if (base.endsWith("/v1")) {
    url.pathname = base + path;
    if (wire === "realtime") url.searchParams.set("model", model);
  } else {
    const resource = base.endsWith("/openai") ? base : `${base}/openai`;
    // The paths of these wires contain no deployment.
    const isUnderV1 = wire === "responses" || wire === "realtime";
    url.pathname = isUnderV1 ? resource + path : `${resource}/deployments/${encodeURIComponent(model)}${path}`;
    if (wire === "realtime") url.searchParams.set("deployment", model);
    if (!url.searchParams.has("api-version"))
      url.searchParams.set("api-version", wire === "realtime" ? realtimeVersion : deploymentsVersion);
  }
  return url;
}
