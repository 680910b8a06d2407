import { Refusal } from "../checks/refusal.ts";
import { bearerOf, createVendor, headerOf, isBadKey, type Endpoint, type Vendor } from "../vendor.ts";
import { speech } from "./audio/speech.ts";
import { transcriptions, translations } from "./audio/transcripts.ts";
import { chatCompletions, deploymentChat } from "./chat/index.ts";
import { completions } from "./completions.ts";
import { embeddings } from "./embeddings.ts";
import { renderError } from "./errors.ts";
import { imageEdits, imageGenerations } from "./images/index.ts";
import { moderations } from "./moderations.ts";
import { compactResponses, responses } from "./responses/index.ts";
import { videos } from "./videos.ts";

const models: Endpoint = {
  method: "GET",
  path: /^\/v1\/models$/,
  open: () => ({
    whole: () => ({
      object: "list",
      data: [{ id: "demo-chat", object: "model", created: 1_735_689_600, owned_by: "simulator" }],
    }),
  }),
};

/** OpenAI under `/openai/v1`, and Azure's addresses of the same endpoints under `/openai`. */
export const openai: Vendor = createVendor({
  prefix: "/openai",
  endpoints: [
    models,
    chatCompletions,
    deploymentChat,
    responses,
    compactResponses,
    completions,
    embeddings,
    moderations,
    speech,
    transcriptions,
    translations,
    imageGenerations,
    imageEdits,
    ...videos,
  ],
  authenticate({ headers, path, query }) {
    const key = headerOf(headers, "api-key") || bearerOf(headers);
    if (isBadKey(key)) throw new Refusal(401, "The API key is not a valid one.", { code: "invalid_api_key" });
    if (path.startsWith("/deployments/") && !query.has("api-version"))
      throw new Refusal(404, "The resource is not there: api-version is required.", { code: "404" });
    return key;
  },
  renderError,
});
