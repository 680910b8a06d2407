import { renderError as claudeError } from "../anthropic/errors.ts";
import { openCount, openMessages } from "../anthropic/open.ts";
import { isRecord, memberOf } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { camelise } from "../gemini/camel.ts";
import { renderError as googleError } from "../gemini/errors.ts";
import { predictImages } from "../gemini/imagen.ts";
import { countTokens, openGenerate } from "../gemini/actions.ts";
import { soundIn } from "../gemini/sound.ts";
import {
  bearerOf,
  createVendor,
  isBadKey,
  type Asking,
  type Endpoint,
  type Understood,
  type Vendor,
} from "../vendor.ts";
import { beginOperation, fetchOperation, filmAt } from "../veo/operations.ts";
import { predictEmbeddings } from "./predict.ts";
import { problemOfToken } from "./account.ts";

/** An action on a model of a publisher, in a project's place. */
function action(
  publisher: string,
  name: string,
  open: (asking: Asking, model: string) => Understood | Promise<Understood>,
): Endpoint {
  const place = "/v1(?:beta1)?/projects/[^/]+/locations/[^/]+";
  return {
    method: "POST",
    path: new RegExp(`^${place}/publishers/${publisher}/models/([^/:]+):${name}$`),
    open: (asking) => open(asking, asking.groups[0] ?? ""),
  };
}

function generate({ body, query }: Asking, model: string, streams: boolean): Understood {
  demandRoles(body);
  return openGenerate(camelise(body), model, streams ? query : undefined);
}

/** Unlike the Gemini API, this one wants every content's role. */
function demandRoles(body: unknown): void {
  const contents = memberOf(body, "contents");
  if (Array.isArray(contents) && contents.some((content) => memberOf(content, "role") === undefined))
    throw new Refusal(400, "Please use a valid role: user, model.");
}

const version = "vertex-2023-10-16";

/** Claude's own format: the model stands in the path, the version in the body. */
function predict({ body, headers }: Asking, model: string, streams: boolean): Understood {
  if (!isRecord(body)) throw new Refusal(400, "The body is no object.");
  const { anthropic_version: given, ...asked } = body;
  if (given !== version) throw new Refusal(400, `anthropic_version: Input should be '${version}'`);
  if (Object.hasOwn(asked, "model")) throw new Refusal(400, "model: Extra inputs are not permitted");
  return openMessages({ ...asked, model }, headers, streams && memberOf(body, "stream") === true);
}

/** The places in which this vendor has its models. */
const places: ReadonlySet<string> = new Set(["us-central1", "europe-west4", "global"]);

/** A place that is a region, and has no models, is answered as a model that is not there. */
function demandPlace(path: string): void {
  const [, resource = "", place = ""] = /^\/v1(?:beta1)?\/(projects\/[^/]+\/locations\/([^/]+)[^:]*)/.exec(path) ?? [];
  if (!places.has(place))
    throw new Refusal(404, `Publisher Model \`${resource}\` was not found or your project does not have access to it.`);
}

/** Google Cloud's Vertex AI, under `/vertex`. */
export const vertex: Vendor = createVendor({
  prefix: "/vertex",
  endpoints: [
    action(
      "google",
      "generateContent",
      (asking, model) => soundIn(camelise(asking.body), model) ?? generate(asking, model, false),
    ),
    action("google", "streamGenerateContent", (asking, model) => generate(asking, model, true)),
    action("google", "countTokens", ({ body }, model) => countTokens(camelise(body), model)),
    action("google", "predict", ({ body }, model) =>
      model.startsWith("imagen-") ? predictImages(body, model, "vertex") : predictEmbeddings(body, model),
    ),
    action("google", "predictLongRunning", ({ body }, model) =>
      beginOperation(body, { model, at: "vertex", under: "projects/p/locations/us-central1/publishers/google/" }),
    ),
    action("google", "fetchPredictOperation", ({ body }) => fetchOperation(body)),
    filmAt(/^\/storage\/v1\/b\/[^/]+\/o\/.*?(op\w+)%2Fsample_0\.mp4$/),
    action("anthropic", "rawPredict", (asking, model) =>
      model === "count-tokens" ? openCount(asking.body) : predict(asking, model, false),
    ),
    action("anthropic", "streamRawPredict", (asking, model) => predict(asking, model, true)),
  ],
  admit({ headers, behaviour, path }) {
    const token = bearerOf(headers);
    if (token === "" || isBadKey(token))
      throw new Refusal(401, "Request had invalid authentication credentials. Expected OAuth 2 access token.");
    const problem = token.startsWith("eyJ")
      ? problemOfToken(token, Date.now() + (behaviour?.clockOffMs ?? 0))
      : undefined;
    if (problem !== undefined) throw new Refusal(401, problem);
    // Storage is nowhere in particular.
    if (!path.startsWith("/storage/")) demandPlace(path);
    return token;
  },
  renderError: (refusal, headers, call) =>
    call.path.includes("/publishers/anthropic/") ? claudeError(refusal, headers) : googleError(refusal, headers, call),
});
