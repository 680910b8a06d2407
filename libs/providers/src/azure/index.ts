import { openaiPaths } from "../openai/index.ts";
import { failureOf } from "../openai/failures.ts";
import type { Provider } from "../provider.ts";
import { requestBuilder, type AddressedCall } from "../request.ts";

/** Version of the API for deployments that is requested if the base URL names none. */
const deploymentsVersion = "2024-10-21";
const realtimeVersion = "2025-04-01-preview";

/**
 * OpenAI's models at Azure. If the base URL ends in `/openai/v1`, OpenAI's paths are used. Otherwise it is the address
 * of a resource with one deployment per model: `/openai/deployments/{model}/…?api-version=…`.
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
    // The paths of the responses and realtime wires contain no deployment: the body or the query names the model.
    const isUnderV1 = wire === "responses" || wire === "realtime";
    url.pathname = isUnderV1 ? resource + path : `${resource}/deployments/${encodeURIComponent(model)}${path}`;
    if (wire === "realtime") url.searchParams.set("deployment", model);
    if (!url.searchParams.has("api-version"))
      url.searchParams.set("api-version", wire === "realtime" ? realtimeVersion : deploymentsVersion);
  }
  return url;
}
