import { openaiPaths } from "../openai/index.ts";
import { failureOf } from "../openai/failures.ts";
import type { Provider } from "../provider.ts";

/** The version of the deployments' API where the base URL names none. */
const defaultVersion = "2024-10-21";

/**
 * OpenAI's models at Azure. With a base URL that ends in `/openai/v1` paths are OpenAI's own; any other is a
 * resource's address, whose deployments are named by the model: `/openai/deployments/{model}/…?api-version=…`.
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
  ],
  address({ baseUrl, wire, model }) {
    const url = new URL(baseUrl);
    const base = url.pathname.replace(/\/+$/, "");
    const path = openaiPaths[wire] ?? "";
    if (base.endsWith("/v1")) url.pathname = base + path;
    else {
      const resource = base.endsWith("/openai") ? base : `${base}/openai`;
      // Responses name the model in the body and stand beside the deployments.
      url.pathname =
        wire === "responses" ? resource + path : `${resource}/deployments/${encodeURIComponent(model)}${path}`;
      if (!url.searchParams.has("api-version")) url.searchParams.set("api-version", defaultVersion);
    }
    return url;
  },
  headers: ({ key }) => ({ "api-key": key }),
  failureOf,
};
