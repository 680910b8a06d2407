import { cleanName } from "./clean.ts";
import type { ErrorBody } from "./error-body.ts";
import type { VendorFailure } from "./provider.ts";

/** Creates the failure of a key that is unknown, cannot pay or has no permission. */
export function keyRefused(error: ErrorBody): VendorFailure {
  const vendorCode = error.code ?? error.type ?? error.status;
  return { code: "upstream_auth_failed", retryable: true, blame: "key", vendorCode };
}
/** Creates the failure of a refused signature or access token. */
export function credentialsRefused(error: ErrorBody): VendorFailure {
  return { ...keyRefused(error), isNeverClientFault: true };
}
export const keyRateLimitFailure: VendorFailure = { code: "upstream_rate_limited", retryable: true, blame: "key" };
export const vendorTimeoutFailure: VendorFailure = { code: "upstream_timeout", retryable: true, blame: "channel" };
/** Failure of the vendor, or of something in front of it, such as a firewall. */
export const vendorFailed: VendorFailure = { code: "upstream_error", retryable: true, blame: "channel" };
export const vendorOverloaded: VendorFailure = { code: "upstream_overloaded", retryable: true, blame: "channel" };
/** Failure of a model that the vendor does not serve to this key. */
export const unknownModelFailure: VendorFailure = { code: "upstream_error", retryable: true, blame: "model" };
/** Failure of a vendor without an endpoint for the request's wire. */
export const missingEndpointFailure: VendorFailure = { code: "upstream_error", retryable: true, blame: "wire" };

/** Creates the failure of an input that the vendor refused. The client gets the vendor's message. */
export function inputRefused(error: ErrorBody): VendorFailure {
  const { code, type, status, message, param, details } = error;
  return {
    ...(isAboutReasoningData(error) ? { isAboutReasoningData: true } : {}),
    code: "upstream_rejected",
    message,
    vendorCode: code ?? type ?? status,
    param,
    detailCode: cleanName(details[0]?.["error_code"]),
    retryable: false,
    blame: "request",
  };
}

/** Failure of a vendor that is not available in the gateway's region. */
export const regionRefused: VendorFailure = { code: "upstream_auth_failed", retryable: true, blame: "channel" };

/**
 * Creates the failure of a 401, 402 or 403 about something that the request names. Another vendor may accept the
 * request.
 */
export function requestForbidden(error: ErrorBody): VendorFailure {
  return { ...inputRefused(error), retryable: true };
}

/** Message for clients about a missing permission of the operator's account. */
const permissionHint =
  "The vendor denies the gateway's own account the permission for this model; the gateway's operator must grant it.";

/** Messages about a permission that the operator's project, role or network lacks. */
const permissionMessages =
  /\bpermission '?(?:aiplatform|generativelanguage|cloudaicompanion)\.[\w.]+'? denied\b|\bis not authorized to perform\b|\bnot authorized to (?:invoke|access) this\b|\black(?:s)? the required data action\b|\bvirtual network\/firewall rules\b|\bpublic access is disabled\b/i;
/** Matches resources that the client chose, in messages about permissions. */
const clientResources = /\bcachedContents?\b|\bfiles\//i;
/** Message for clients instead of the vendor's, which would name the operator's project. */
const deniedResourceHint =
  "The vendor denies access to the cached content or file that the request names, or it does not exist.";
/** Names of models in messages about permissions. */
const modelResources = /\bmodels\/|\bendpoints\/|foundation-model\/|inference-profile\/|\bdeployments\//i;

/** Returns the failure of a permission that the operator's account lacks; undefined for any other error. */
export function permissionDenied(error: ErrorBody): VendorFailure | undefined {
  const { message = "" } = error;
  if (!permissionMessages.test(message)) return undefined;
  if (clientResources.test(message)) return requestForbidden({ ...error, message: deniedResourceHint });
  return { ...permissionMissing(error), blame: modelResources.test(message) ? "model" : "key" };
}

/** Creates the failure of a key that lacks a permission, which only the operator can grant. */
export function permissionMissing(error: ErrorBody): VendorFailure {
  return { ...keyRefused(error), message: permissionHint };
}

/** Messages about the key, or the account that pays for it. */
const keyMessages =
  /\bapi[ _-]?keys?\b|\bcredentials?\b|\b(?:access|auth) token\b|\bbilling\b|\bcredits?\b|\bbalance\b|\barrears\b|\boverdue\b|\bquota\b|\b(?:account|organi[sz]ation|project)\b.{0,40}\b(?:suspended|deactivated|disabled|terminated|blocked)\b/i;
/** Messages about something in the request, which take precedence over `keyMessages`. */
const requestMessages =
  /\b(?:files?|models?|deployments?|assistants?|vector stores?|urls?|images?|polic(?:y|ies)|moderation|flagged|safety|content)\b/i;

/** Returns true if an error's message concerns the key itself. */
export function isAboutKey({ message = "", param }: ErrorBody): boolean {
  return param === undefined && keyMessages.test(message) && !requestMessages.test(message);
}

/** Returns true if an error's message concerns the gateway's region. */
export function isAboutRegion({ message = "" }: ErrorBody): boolean {
  return /\b(?:country|region|territory|location)\b.{0,60}\b(?:not supported|unsupported|not available|restricted)\b|\b(?:unsupported|not supported|not available|restricted)\b.{0,60}\b(?:country|region|territory|location)\b/i.test(
    message,
  );
}

/** Messages about signatures, encrypted content, and stored reasoning items. */
const reasoningDataMessages =
  /\bsignature\b.*\bthinking\b|\bthinking\b.*\bsignature\b|\bredacted_thinking\b|thought.?signature|encrypted.content|'rs_/i;

function isAboutReasoningData({ code, message }: ErrorBody): boolean {
  return code === "invalid_encrypted_content" || (message !== undefined && reasoningDataMessages.test(message));
}

/** Classifies an error by its status, and a 403 by its message. */
export function failureOfStatus(status: number, error: ErrorBody): VendorFailure {
  // An error that names a field of the request does not concern the key.
  if (status === 401 || status === 402) return error.param === undefined ? keyRefused(error) : requestForbidden(error);
  if (status === 403) return failureOfForbidden(error);
  if (status === 429) return keyRateLimitFailure;
  if (status === 408 || status === 504) return vendorTimeoutFailure;
  if (status === 405 || status === 501) return missingEndpointFailure;
  if (status === 529) return vendorOverloaded;
  return status >= 400 && status < 500 && status !== 409 ? inputRefused(error) : vendorFailed;
}

function failureOfForbidden(error: ErrorBody): VendorFailure {
  if (isAboutRegion(error)) return regionRefused;
  // A 403 without a known error body may come from a device such as a firewall.
  if (error.message === undefined && error.code === undefined && error.type === undefined) return vendorFailed;
  return permissionDenied(error) ?? (isAboutKey(error) ? keyRefused(error) : requestForbidden(error));
}
