import { renderError as claudeError } from "../anthropic/errors.ts";
import { openCount, openMessages } from "../anthropic/open.ts";
import { vertexPlatform } from "../anthropic/tool-types.ts";
import { isRecord, memberOf } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { toCamelCase } from "../gemini/camel.ts";
import { renderError as googleError } from "../gemini/errors.ts";
import { predictImages } from "../gemini/imagen.ts";
import { countTokens, openGenerate } from "../gemini/actions.ts";
import { soundIn } from "../gemini/sound.ts";
import {
  bearerOf,
  createVendor,
  isBadKey,
  type EndpointCall,
  type Endpoint,
  type ParsedRequest,
  type Vendor,
} from "../vendor.ts";
import { beginOperation, fetchOperation } from "../veo/operations.ts";
import { videoEndpoint } from "../video/video-host.ts";
import { predictEmbeddings } from "./predict.ts";
import { problemOfToken } from "./account.ts";

/** Creates the endpoint of an action on a model. */
function actionEndpoint(
  publisher: string,
  name: string,
  open: (asking: EndpointCall, model: string) => ParsedRequest | Promise<ParsedRequest>,
): Endpoint {
  const place = "/v1(?:beta1)?/projects/[^/]+/locations/[^/]+";
  return {
    method: "POST",
    path: new RegExp(`^${place}/publishers/${publisher}/models/([^/:]+):${name}$`),
    open: (asking) => open(asking, asking.groups[0] ?? ""),
  };
}

function parseGenerateContent({ body, query }: EndpointCall, model: string, streams: boolean): ParsedRequest {
  requireRoles(body);
  return openGenerate(toCamelCase(body), model, streams ? query : undefined);
}

/** Refuses contents without a role, which only the Gemini API accepts. */
function requireRoles(body: unknown): void {
  const contents = memberOf(body, "contents");
  if (Array.isArray(contents) && contents.some((content) => memberOf(content, "role") === undefined))
    throw new Refusal(400, "Please use a valid role: user, model.");
}

const version = "vertex-2023-10-16";

/** Reads a request to Claude. The path names the model, and the body has the version. */
function parseRawPredict({ body, headers }: EndpointCall, model: string, streams: boolean): ParsedRequest {
  if (!isRecord(body)) throw new Refusal(400, "The body is not an object.");
  const { anthropic_version: anthropicVersion, ...request } = body;
  if (anthropicVersion !== version) throw new Refusal(400, `anthropic_version: Input should be '${version}'`);
  if (Object.hasOwn(request, "model")) throw new Refusal(400, "model: Extra inputs are not permitted");
  const isStream = streams && memberOf(body, "stream") === true;
  return openMessages({ ...request, model }, headers, isStream, vertexPlatform);
}

const locations: ReadonlySet<string> = new Set(["us-central1", "europe-west4", "global"]);

/** Refuses an unknown location with the error of an unknown model. */
function requireLocation(path: string): void {
  const [, resource = "", location = ""] =
    /^\/v1(?:beta1)?\/(projects\/[^/]+\/locations\/([^/]+)[^:]*)/.exec(path) ?? [];
  if (!locations.has(location))
    throw new Refusal(404, `Publisher Model \`${resource}\` was not found or your project does not have access to it.`);
}

export const vertex: Vendor = createVendor({
  prefix: "/vertex",
  endpoints: [
    actionEndpoint(
      "google",
      "generateContent",
      (asking, model) => soundIn(toCamelCase(asking.body), model) ?? parseGenerateContent(asking, model, false),
    ),
    actionEndpoint("google", "streamGenerateContent", (asking, model) => parseGenerateContent(asking, model, true)),
    actionEndpoint("google", "countTokens", ({ body }, model) => countTokens(toCamelCase(body), model)),
    actionEndpoint("google", "predict", ({ body }, model) =>
      model.startsWith("imagen-") ? predictImages(body, model, "vertex") : predictEmbeddings(body, model),
    ),
    actionEndpoint("google", "predictLongRunning", ({ body }, model) =>
      beginOperation(body, { model, at: "vertex", under: "projects/p/locations/us-central1/publishers/google/" }),
    ),
    actionEndpoint("google", "fetchPredictOperation", ({ body }) => fetchOperation(body)),
    videoEndpoint(/^\/storage\/v1\/b\/[^/]+\/o\/.*?(op\w+)%2Fsample_0\.mp4$/),
    actionEndpoint("anthropic", "rawPredict", (asking, model) =>
      model === "count-tokens"
        ? openCount(asking.body, asking.headers, vertexPlatform)
        : parseRawPredict(asking, model, false),
    ),
    actionEndpoint("anthropic", "streamRawPredict", (asking, model) => parseRawPredict(asking, model, true)),
  ],
  authenticate({ headers, behaviour, path }) {
    const token = bearerOf(headers);
    if (token === "" || isBadKey(token))
      throw new Refusal(401, "Request had invalid authentication credentials. Expected OAuth 2 access token.");
    const problem = token.startsWith("eyJ")
      ? problemOfToken(token, Date.now() + (behaviour?.clockOffMs ?? 0))
      : undefined;
    if (problem !== undefined) throw new Refusal(401, problem);
    // Storage has no location.
    if (!path.startsWith("/storage/")) requireLocation(path);
    return token;
  },
  renderError: (refusal, headers, call) =>
    call.path.includes("/publishers/anthropic/") ? claudeError(refusal, headers) : googleError(refusal, headers, call),
});
