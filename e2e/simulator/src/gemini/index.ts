import { createVendor, type Endpoint, type ParsedRequest, type Vendor } from "../vendor.ts";
import { batchEmbedContents, countTokens, embedContent, openGenerate } from "./actions.ts";
import { soundIn } from "./sound.ts";
import { toCamelCase } from "./camel.ts";
import { admitKey } from "./admit-key.ts";
import { renderError } from "./errors.ts";
import { predictImages } from "./imagen.ts";
import { cancelInteraction, createInteraction, getInteraction } from "./interactions/index.ts";
import { beginOperation, geminiOperation } from "../veo/operations.ts";
import { videoEndpoint } from "../video/video-host.ts";

/** Creates the endpoint of an action on a model: `/v1beta/models/MODEL:ACTION`. */
function actionEndpoint(
  name: string,
  open: (body: unknown, model: string, query: URLSearchParams) => ParsedRequest | Promise<ParsedRequest>,
): Endpoint {
  return {
    method: "POST",
    path: new RegExp(`^/v1(?:beta)?/models/(.+):${name}$`),
    open: ({ body, groups: [model = ""], query }) => open(toCamelCase(body), model.replace(/^models\//, ""), query),
  };
}

export const gemini: Vendor = createVendor({
  prefix: "/gemini",
  endpoints: [
    actionEndpoint("generateContent", (body, model) => soundIn(body, model) ?? openGenerate(body, model)),
    actionEndpoint("streamGenerateContent", openGenerate),
    actionEndpoint("countTokens", countTokens),
    actionEndpoint("embedContent", embedContent),
    actionEndpoint("batchEmbedContents", batchEmbedContents),
    actionEndpoint("predict", (body, model) => predictImages(body, model, "gemini")),
    actionEndpoint("predictLongRunning", (body, model) => beginOperation(body, { model, at: "gemini", under: "" })),
    createInteraction,
    getInteraction,
    cancelInteraction,
    geminiOperation,
    videoEndpoint(/^\/v1(?:beta)?\/files\/([^/:]+):download$/),
  ],
  authenticate: admitKey,
  renderError,
});
