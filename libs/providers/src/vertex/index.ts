import { failureOf as failureOfClaude } from "../anthropic/failures.ts";
import { readErrorBody } from "../error-body.ts";
import { failureOf as failureOfGoogle } from "../gemini/failures.ts";
import { credentialsRefused } from "../meanings.ts";
import type { Provider } from "../provider.ts";
import { requestTo } from "../request.ts";
import { addressOf, addressProblem, liveAddressOf, modelInSession } from "./address.ts";
import { bodyOf, headersOf } from "./body.ts";
import { chainKey, keyProblem, openAccounts } from "./credentials.ts";
import { wiresOfModel } from "./models.ts";
import { storageAddress } from "./storage.ts";
import { pollVideo, startVideo } from "./video.ts";

const headersFor = openAccounts();

/** Google Cloud's Vertex AI: Gemini by the content wire, Claude by its own. Project and region are in the address. */
export const vertex: Provider = {
  name: "vertex",
  title: "Google Vertex AI",
  baseUrl:
    "https://${GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/${GOOGLE_CLOUD_PROJECT}/locations/${GOOGLE_CLOUD_LOCATION}",
  usualKey: chainKey,
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
  // Google's own errors have a status in words; Claude's, which are passed on, have a type.
  failureOf(status, body) {
    if (status === 401) return credentialsRefused(readErrorBody(body));
    return /"type"\s*:\s*"error"/.test(body) ? failureOfClaude(status, body) : failureOfGoogle(status, body);
  },
};
