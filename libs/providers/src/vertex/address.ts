import type { UpstreamWire } from "@modelgate/contracts";
import type { AddressedCall } from "../request.ts";

const actions: Readonly<Partial<Record<UpstreamWire, string>>> = {
  content: "generateContent",
  "count-content": "countTokens",
  "content-speech": "generateContent",
  "content-transcripts": "generateContent",
};

/** Splits a base URL into the project's address and the bucket for videos. */
export function splitBaseUrl(baseUrl: string): { readonly project: string; readonly storageUri: string | null } {
  const [project = "", query = ""] = baseUrl.split("?");
  return { project: project.replace(/\/+$/, ""), storageUri: new URLSearchParams(query).get("storageUri") };
}

/** Returns the address of a request. */
export function addressOf({ baseUrl, wire, model, stream = false }: AddressedCall): URL {
  const { project } = splitBaseUrl(baseUrl);
  if (wire === "chat") return new URL(`${project}/endpoints/openapi/chat/completions`);
  // A separate model counts tokens. The body contains the name of the requested model.
  if (wire === "count-messages") return new URL(`${project}/publishers/anthropic/models/count-tokens:rawPredict`);
  const name = encodeURIComponent(model);
  if (wire === "messages")
    return new URL(`${project}/publishers/anthropic/models/${name}:${stream ? "streamRawPredict" : "rawPredict"}`);
  const action = stream && wire === "content" ? "streamGenerateContent" : (actions[wire] ?? "predict");
  const url = new URL(`${project}/publishers/google/models/${name}:${action}`);
  if (stream) url.searchParams.set("alt", "sse");
  return url;
}

/** Returns the address of sessions. */
export function liveAddressOf(baseUrl: string): URL {
  const url = new URL(baseUrl);
  const [, before = "", version = "v1"] = /^(.*)\/(v1(?:beta1)?)\/projects\//.exec(url.pathname) ?? [];
  url.pathname = `${before}/ws/google.cloud.aiplatform.${version}.LlmBidiService/BidiGenerateContent`;
  url.search = "";
  return url;
}

/** Returns a model's name for the first message of a session, with the project and region of the address. */
export function modelInSession(baseUrl: string, model: string): string {
  const projectPath = /\/(projects\/[^/]+\/locations\/[^/]+)/.exec(new URL(baseUrl).pathname)?.[1] ?? "";
  return `${projectPath}/publishers/google/models/${model}`;
}

const projectOfPath = /\/v1(?:beta1)?\/projects\/[^/]+\/locations\/[^/]+\/*$/;
/** Matches Google's hosts that serve one region, and their region. */
const regionalHostPattern = /^([a-z]+-[a-z]+\d+)-aiplatform\.googleapis\.com$/;

/** Describes the error in an address, as text that follows the word `baseUrl`. */
export function addressProblem(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl);
  if (url === null) return undefined;
  if (!projectOfPath.test(url.pathname))
    return "has no project and region: use https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION";
  const region = regionalHostPattern.exec(url.hostname)?.[1];
  const location = /\/locations\/([^/]+)/.exec(url.pathname)?.[1];
  return region === undefined || region === location
    ? undefined
    : `is in region ${region}, but its path names ${location}`;
}
