import type { UpstreamWire } from "@modelgate/contracts";
import type { Provider } from "../provider.ts";
import { bearer, requestsAt, type Addressed } from "../request.ts";
import { failureOf } from "./failures.ts";
import { startVideo, videoRequest } from "./video.ts";

/** Path of each wire, under the base URL. */
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
 * OpenAI's host, which serves the tools and reasoning of its newest models completely only at the responses endpoint.
 */
const ownHost = "api.openai.com";
const ownWires: readonly UpstreamWire[] = [
  "responses",
  ...wires.filter((wire) => wire !== "responses"),
  "count-responses",
];

const answers = requestsAt(address, bearer);

/** OpenAI, and every vendor that serves its formats under another base URL. */
export const openai: Provider = {
  name: "openai",
  title: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  pricesAs: "openai",
  modelsAt: "/models",
  wires,
  wiresAt: (baseUrl) => (URL.parse(baseUrl)?.hostname === ownHost ? ownWires : undefined),
  moreWires: ["video-generations", "count-responses"],
  request: (call) => (call.act === "poll" || call.act === "download" ? videoRequest(call) : answers(call)),
  start: startVideo,
  downloads: ["videos"],
  failureOf,
};

function address({ baseUrl, wire, model }: Addressed): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}${openaiPaths[wire] ?? ""}`);
  if (wire === "realtime") url.searchParams.set("model", model);
  return url;
}
