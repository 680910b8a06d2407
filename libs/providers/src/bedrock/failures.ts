import { readErrorBody, type ErrorBody } from "../error-body.ts";
import {
  broken,
  credentialsRefused,
  forbidden,
  inputRefused,
  keyLimited,
  meaningOfStatus,
  noModel,
  timedOut,
} from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** Matches messages about a signature or its credentials. */
const aboutCredentials =
  /signature|security token|\bcredential|access key|api key|bearer token|not authorized to perform: sts|token (?:included|is) .*(?:expired|invalid)|must specify a valid region/i;
/** Matches messages about a model that does not exist, or that the account or endpoint cannot use. */
const aboutModel =
  /model identifier|don't have access to the model|on-demand throughput|could not resolve the foundation model|end of its life|model use case details|foundation-model\/|inference-profile\/|model version|not ready to serve|legacy/i;

/** Statuses that need no look at the message. */
const meanings: Readonly<Record<number, VendorFailure>> = {
  // The paths are known to exist, so the missing resource is the model.
  404: noModel,
  408: timedOut,
  // The model failed while it processed the request.
  424: broken,
  429: keyLimited,
};
const statusesOfModels: ReadonlySet<number> = new Set([400, 403, 404, 429]);

/** Classifies an error of Bedrock: `{message}`. The exception's name is in a header, so the message decides. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = wordsOf(body);
  const { message = "" } = error;
  if (status === 401 || (status === 403 && aboutCredentials.test(message))) return credentialsRefused(error);
  if (statusesOfModels.has(status) && aboutModel.test(message)) return noModel;
  if (status === 403) return message === "" ? broken : forbidden(error);
  return meanings[status] ?? (status === 400 ? inputRefused(error) : meaningOfStatus(status, error));
}

/** Reads `message`, or `Message` as older services of Amazon write it. */
function wordsOf(body: string): ErrorBody {
  const error = readErrorBody(body);
  return error.message === undefined ? readErrorBody(body.replace(/"Message"\s*:/, '"message":')) : error;
}
