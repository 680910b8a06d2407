import { readErrorBody } from "../error-body.ts";
import {
  vendorFailed,
  credentialsRefused,
  requestForbidden,
  inputRefused,
  keyRateLimitFailure,
  failureOfStatus,
  unknownModelFailure,
  permissionDenied,
  vendorTimeoutFailure,
} from "../vendor-failures.ts";
import type { VendorFailure } from "../provider.ts";

/** Messages about a signature or its credentials. */
const credentialsMessages =
  /signature|security token|\bcredential|access key|api key|bearer token|not authorized to perform: sts|token (?:included|is) .*(?:expired|invalid)|must specify a valid region/i;
/** Messages about a model that does not exist, or that the account or endpoint cannot use. */
const modelMessages =
  /model identifier|don't have access to the model|on-demand throughput|could not resolve the foundation model|end of its life|model use case details|foundation-model\/|inference-profile\/|model version|not ready to serve|legacy/i;

const failuresByStatus: Readonly<Record<number, VendorFailure>> = {
  // The path exists, so the missing resource is the model.
  404: unknownModelFailure,
  408: vendorTimeoutFailure,
  // The model failed while it processed the request.
  424: vendorFailed,
  429: keyRateLimitFailure,
};
const modelStatuses: ReadonlySet<number> = new Set([400, 403, 404, 429]);

/** Classifies an error of Bedrock by its message. The exception's name is only in a header. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const { message = "" } = error;
  if (status === 401 || (status === 403 && credentialsMessages.test(message))) return credentialsRefused(error);
  const denied = status === 403 ? permissionDenied(error) : undefined;
  if (denied !== undefined) return denied;
  if (modelStatuses.has(status) && modelMessages.test(message)) return unknownModelFailure;
  if (status === 403) return message === "" ? vendorFailed : requestForbidden(error);
  return failuresByStatus[status] ?? (status === 400 ? inputRefused(error) : failureOfStatus(status, error));
}
