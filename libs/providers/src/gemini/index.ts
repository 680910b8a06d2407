import { isAgent, type UpstreamWire } from "@modelgate/contracts";
import type { PollCall, RunCall, VendorCall } from "../call.ts";
import type { Provider } from "../provider.ts";
import { requestBuilder, requestTo, type AddressedCall, type VendorRequest } from "../request.ts";
import { failureOf } from "./failures.ts";
import { keyHeader, pollVideo, startVideo, withVersion } from "./video.ts";

const actions: Readonly<Partial<Record<UpstreamWire, string>>> = {
  content: "generateContent",
  "count-content": "countTokens",
  "content-embeddings": "batchEmbedContents",
  imagen: "predict",
  "content-speech": "generateContent",
  "content-transcripts": "generateContent",
};

/** Method of a session's WebSocket, without the version. */
const liveMethod = "GenerativeService.BidiGenerateContent";

const buildRequest = requestBuilder(address, headersOf);

export const gemini: Provider = {
  name: "gemini",
  title: "Gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  keyVariable: "GEMINI_API_KEY",
  pricesAs: "google",
  modelsAt: "/v1beta/models",
  wires: [
    "content",
    "interactions",
    "count-content",
    "content-embeddings",
    "gemini-live",
    "imagen",
    "content-speech",
    "content-transcripts",
    "veo-video",
  ],
  wiresAt: (_, model) => wiresOfModel(model),
  request(call) {
    if (call.act !== "poll") return buildRequest(call);
    if (call.wire === "interactions") return pollInteraction(call);
    return call.wire === "veo-video" ? pollVideo(call) : buildRequest(call);
  },
  run: runRequest,
  start: startVideo,
  failureOf,
};

/** Version of the API in which interactions consist of steps. */
const interactionsVersion = { "api-revision": "2026-05-20" };

function headersOf(call: VendorCall): Readonly<Record<string, string>> {
  return "wire" in call && call.wire === "interactions"
    ? { ...keyHeader(call), ...interactionsVersion }
    : keyHeader(call);
}

function pollInteraction(call: PollCall): VendorRequest {
  return requestTo(interactionAddress(call), call, headersOf(call));
}

function runRequest(call: RunCall): VendorRequest {
  const url = interactionAddress(call);
  const headers = { ...keyHeader(call), ...interactionsVersion };
  if (call.act === "cancel") {
    url.pathname += "/cancel";
    return requestTo(url, call, { ...headers, "content-type": "application/json" }, Buffer.from("{}"));
  }
  url.searchParams.set("stream", "true");
  if (call.lastEvent !== undefined) url.searchParams.set("last_event_id", call.lastEvent);
  return requestTo(url, call, headers);
}

function interactionAddress({ baseUrl, task }: Pick<PollCall | RunCall, "baseUrl" | "task">): URL {
  return new URL(`${withVersion(baseUrl)}/interactions/${encodeURIComponent(task)}`);
}

/** Returns the wires of an agent, or of a model for images, videos or speech; undefined for any other model. */
function wiresOfModel(model: string): readonly UpstreamWire[] | undefined {
  if (isAgent(model)) return ["interactions"];
  if (/^(?:models\/)?imagen-/.test(model)) return ["imagen"];
  if (model.startsWith("veo-")) return ["veo-video"];
  return /-tts(?:-|$)/.test(model) ? ["content-speech"] : undefined;
}

/** Returns the address of a request. Streams are requested as server-sent events. */
function address({ baseUrl, wire, model, stream = false }: AddressedCall): URL {
  const base = withVersion(baseUrl);
  if (wire === "gemini-live") return liveAddress(base);
  if (wire === "interactions") return new URL(`${base}/interactions`);
  const action = stream && wire === "content" ? "streamGenerateContent" : (actions[wire] ?? "");
  const url = new URL(`${base}/models/${model.split("/").map(encodeURIComponent).join("/")}:${action}`);
  if (stream) url.searchParams.set("alt", "sse");
  return url;
}

/**
 * Returns the address of sessions: for `https://host/v1beta`, it begins with
 * `https://host/ws/google.ai.generativelanguage.v1beta.`.
 */
function liveAddress(versioned: string): URL {
  const url = new URL(versioned);
  const segments = url.pathname.split("/");
  const version = segments.pop() ?? "";
  url.pathname = `${segments.join("/")}/ws/google.ai.generativelanguage.${version}.${liveMethod}`;
  return url;
}
