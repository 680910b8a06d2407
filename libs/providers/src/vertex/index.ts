import { withoutUndefined, type UpstreamWire } from "@modelgate/contracts";
import { failureOf as failureOfClaude, claudeBody, cloudBetas, bufferedBody } from "../anthropic/index.ts";
import type { AnswerCall } from "../call.ts";
import { readErrorBody } from "../error-body.ts";
import { failureOf as failureOfGoogle } from "../gemini/failures.ts";
import { credentialsRefused } from "../vendor-failures.ts";
import type { Provider } from "../provider.ts";
import { requestTo } from "../request.ts";
import { addressOf, addressProblem, liveAddressOf, modelInSession } from "./address.ts";
import { chainKey, keyProblem, openAccounts } from "./credentials.ts";
import { pollVideo, startVideo } from "./video.ts";

const headersFor = openAccounts();

/** Google Cloud's Vertex AI. The address contains the project and region. */
export const vertex: Provider = {
  name: "vertex",
  title: "Google Vertex AI",
  baseUrl:
    "https://${GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/${GOOGLE_CLOUD_PROJECT}/locations/${GOOGLE_CLOUD_LOCATION}",
  defaultKey: chainKey,
  pricesAs: "google",
  wires: [
    "content",
    "messages",
    "count-content",
    "count-messages",
    "predict-embeddings",
    "gemini-live",
    "vertex-imagen",
    "content-speech",
    "content-transcripts",
    "vertex-video",
  ],
  moreWires: ["chat"],
  baseUrlQuery: true,
  wiresAt: (_, model) => wiresOfModel(model),
  addressProblem,
  keyProblem,
  modelInSession,
  request(call) {
    if (call.act === "session") return requestTo(liveAddressOf(call.baseUrl), call, {});
    if (call.act === "poll" || call.act === "download") return pollVideo(call);
    if (call.act === "file") return requestTo(storageAddress(call.url, call.baseUrl), call, {});
    const plain = { ...call, body: bodyOf(call), headers: headersOf(call), query: undefined };
    return requestTo(addressOf(call), plain, {});
  },
  start: startVideo,
  downloads: ["vertex-video"],
  sign: ({ url }, { key }) => headersFor(key, url),
  // Google's errors have a textual status, and Claude's have a type.
  failureOf(status, body) {
    if (status === 401) return credentialsRefused(readErrorBody(body));
    return /"type"\s*:\s*"error"/.test(body) ? failureOfClaude(status, body) : failureOfGoogle(status, body);
  },
};

/** Version of the messages wire that Vertex supports. */
const anthropicVersion = JSON.stringify("vertex-2023-10-16");

function bodyOf(call: AnswerCall): Buffer {
  if (call.wire === "messages") return claudeBody(call, { anthropic_version: anthropicVersion }, ["model"]);
  if (call.wire === "count-messages") return claudeBody(call, {}, []);
  return bufferedBody(call.body);
}

/** Returns the headers of a client that are sent on. On the messages wire, the version is in the body. */
function headersOf({ wire, headers = {} }: AnswerCall): Readonly<Record<string, string>> {
  if (wire !== "messages" && wire !== "count-messages") return headers;
  const { "anthropic-version": _version, "anthropic-beta": betas, ...more } = headers;
  return withoutUndefined({ ...more, "anthropic-beta": cloudBetas(betas)?.join(",") });
}

const wiresByModelPattern: readonly (readonly [RegExp, readonly UpstreamWire[]])[] = [
  [/^claude-/, ["messages", "count-messages"]],
  [/^imagen-/, ["vertex-imagen"]],
  [/^veo-/, ["vertex-video"]],
  [/-tts(?:-|$)/, ["content-speech"]],
  [/embedding/, ["predict-embeddings"]],
  // The names of other publishers' models begin with the publisher, as in `meta/llama-…`.
  [/^[\w-]+\//, ["chat"]],
];

const googleWires: readonly UpstreamWire[] = ["content", "count-content", "content-transcripts", "gemini-live"];

function wiresOfModel(model: string): readonly UpstreamWire[] {
  return wiresByModelPattern.find(([pattern]) => pattern.test(model))?.[1] ?? googleWires;
}

const storageScheme = "gs:";
const googleHostPattern = /\.googleapis\.com$/;

/**
 * Converts `gs://bucket/name` to an address. A base URL on a host that is not Google's is a proxy for all of Google's
 * APIs.
 */
function storageAddress(file: URL, baseUrl: string): URL {
  if (file.protocol !== storageScheme) return file;
  const { origin, hostname, pathname } = new URL(baseUrl);
  const basePath = pathname.slice(0, Math.max(0, pathname.search(/\/v1(?:beta1)?\/projects\//)));
  const base = googleHostPattern.test(hostname) ? "https://storage.googleapis.com" : origin + basePath;
  const name = encodeURIComponent(decodeURIComponent(file.pathname.slice(1)));
  return new URL(`${base}/storage/v1/b/${encodeURIComponent(file.host)}/o/${name}?alt=media`);
}
