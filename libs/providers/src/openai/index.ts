import type { UpstreamWire } from "@modelgate/contracts";
import type { Provider } from "../provider.ts";
import { bearerHeader, requestBuilder, type AddressedCall } from "../request.ts";
import { failureOf } from "./failures.ts";
import { startVideo, videoRequest } from "./video.ts";

/** Path of each wire under the base URL. */
export const openaiPaths: Readonly<Partial<Record<UpstreamWire, string>>> = {
  chat: "/chat/completions",
  responses: "/responses",
  compact: "/responses/compact",
  "count-responses": "/responses/input_tokens",
  completions: "/completions",
  embeddings: "/embeddings",
  moderations: "/moderations",
  "jina-rerank": "/rerank",
  realtime: "/realtime",
  "gpt-live": "/live/sessions",
  transcriptions: "/audio/transcriptions",
  translations: "/audio/translations",
  speech: "/audio/speech",
  images: "/images/generations",
  "image-edits": "/images/edits",
};

const wires: readonly UpstreamWire[] = [
  "chat",
  "responses",
  "compact",
  "completions",
  "embeddings",
  "moderations",
  "jina-rerank",
  "transcriptions",
  "translations",
  "speech",
  "videos",
  "images",
  "image-edits",
  "realtime",
];

/**
 * Host of OpenAI itself. Its newest models support all tools only on the responses wire, so that wire is preferred
 * there.
 */
const ownHost = "api.openai.com";
const ownWires: readonly UpstreamWire[] = [
  "responses",
  ...wires.filter((wire) => wire !== "responses"),
  "count-responses",
];

/** Models of GPT-Live. Their sessions have a separate wire. */
const gptLivePattern = /^gpt-live-\d/;
const gptLiveWires: readonly UpstreamWire[] = ["gpt-live"];

const buildRequest = requestBuilder(address, bearerHeader);

/** OpenAI, and other vendors with its wires. */
export const openai: Provider = {
  name: "openai",
  title: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  pricesAs: "openai",
  modelsAt: "/models",
  wires,
  wiresAt,
  moreWires: ["video-generations", "count-responses", "gpt-live"],
  request: (call) => (call.act === "poll" || call.act === "download" ? videoRequest(call) : buildRequest(call)),
  start: startVideo,
  downloads: ["videos"],
  failureOf,
};

function wiresAt(baseUrl: string, model: string): readonly UpstreamWire[] | undefined {
  if (gptLivePattern.test(model)) return gptLiveWires;
  return URL.parse(baseUrl)?.hostname === ownHost ? ownWires : undefined;
}

function address({ baseUrl, wire, model }: AddressedCall): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}${openaiPaths[wire] ?? ""}`);
  if (wire === "realtime") url.searchParams.set("model", model);
  return url;
}
