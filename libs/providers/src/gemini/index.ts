import type { UpstreamWire } from "@modelgate/contracts";
import type { Provider } from "../provider.ts";
import { requestsAt, type Addressed } from "../request.ts";
import { failureOf } from "./failures.ts";
import { keyed, pollVideo, startVideo, versioned } from "./video.ts";

const actions: Readonly<Partial<Record<UpstreamWire, string>>> = {
  content: "generateContent",
  "count-content": "countTokens",
  "content-embeddings": "batchEmbedContents",
  imagen: "predict",
  "content-speech": "generateContent",
  "content-transcripts": "generateContent",
};

/** Method of sessions; unlike all other paths, its path has no version. */
const liveMethod = "GenerativeService.BidiGenerateContent";

const answers = requestsAt(address, keyed);

/** Google's models by the content wire; streams are requested as server-sent events. Sessions are WebSockets. */
export const gemini: Provider = {
  name: "gemini",
  title: "Gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  keyVariable: "GEMINI_API_KEY",
  pricesAs: "google",
  modelsAt: "/v1beta/models",
  wires: [
    "content",
    "count-content",
    "content-embeddings",
    "gemini-live",
    "imagen",
    "content-speech",
    "content-transcripts",
    "veo-video",
  ],
  wiresAt: (_, model) => wiresOfModel(model),
  request: (call) => (call.act === "poll" && call.wire === "veo-video" ? pollVideo(call) : answers(call)),
  start: startVideo,
  failureOf,
};

/** Returns the wires of a model that does not write text, by its name; undefined for a text model. */
function wiresOfModel(model: string): readonly UpstreamWire[] | undefined {
  if (/^(?:models\/)?imagen-/.test(model)) return ["imagen"];
  if (model.startsWith("veo-")) return ["veo-video"];
  return /-tts(?:-|$)/.test(model) ? ["content-speech"] : undefined;
}

/** Returns the address of each wire; streams are requested as server-sent events. */
function address({ baseUrl, wire, model, stream = false }: Addressed): URL {
  const base = versioned(baseUrl);
  if (wire === "gemini-live") return liveAddress(base);
  const action = stream && wire === "content" ? "streamGenerateContent" : (actions[wire] ?? "");
  const url = new URL(`${base}/models/${model.split("/").map(encodeURIComponent).join("/")}:${action}`);
  if (stream) url.searchParams.set("alt", "sse");
  return url;
}

/**
 * Returns the address of sessions. Those of `https://host/v1beta` are at `/ws/google.ai.generativelanguage.v1beta.…`;
 * the first message names the model.
 */
function liveAddress(versioned: string): URL {
  const url = new URL(versioned);
  const steps = url.pathname.split("/");
  const version = steps.pop() ?? "";
  url.pathname = `${steps.join("/")}/ws/google.ai.generativelanguage.${version}.${liveMethod}`;
  return url;
}
