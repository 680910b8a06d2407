import type { UpstreamWire } from "@modelgate/contracts";
import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";

const actions: Readonly<Partial<Record<UpstreamWire, string>>> = {
  content: "generateContent",
  "count-content": "countTokens",
  "content-embeddings": "batchEmbedContents",
};

/** Google's models by the content wire; streams are asked for as server-sent events. */
export const gemini: Provider = {
  name: "gemini",
  wires: ["content", "count-content", "content-embeddings"],
  address({ baseUrl, wire, model, stream }) {
    const base = baseUrl.replace(/\/+$/, "");
    const versioned = /\/v\d\w*$/.test(base) ? base : `${base}/v1beta`;
    const action = stream && wire === "content" ? "streamGenerateContent" : (actions[wire] ?? "");
    const url = new URL(`${versioned}/models/${model.split("/").map(encodeURIComponent).join("/")}:${action}`);
    if (stream) url.searchParams.set("alt", "sse");
    return url;
  },
  headers: ({ key }) => ({ "x-goog-api-key": key }),
  failureOf,
};
