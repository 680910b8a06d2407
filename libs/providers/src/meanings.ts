import type { ErrorBody } from "./error-body.ts";
import type { VendorFailure } from "./provider.ts";

/** Creates the failure of a key that is unknown, cannot pay or lacks permission: another key may succeed. */
export function keyRefused(error: ErrorBody): VendorFailure {
  const vendorCode = error.code ?? error.type ?? error.status;
  return { code: "upstream_auth_failed", retryable: true, blame: "key", vendorCode };
}
/** Creates the failure of a computed or fetched credential: a signature or an access token. */
export function credentialsRefused(error: ErrorBody): VendorFailure {
  return { ...keyRefused(error), isCertain: true };
}
/** The key exceeded its rate limit. */
export const keyLimited: VendorFailure = { code: "upstream_rate_limited", retryable: true, blame: "key" };
export const timedOut: VendorFailure = { code: "upstream_timeout", retryable: true, blame: "channel" };
/** The vendor failed, or the address is not the vendor that the channel names. */
export const broken: VendorFailure = { code: "upstream_error", retryable: true, blame: "channel" };
/** The vendor is overloaded. */
export const overloaded: VendorFailure = { code: "upstream_overloaded", retryable: true, blame: "channel" };
/** The vendor does not have the model, or not for this key; its other models may work. */
export const noModel: VendorFailure = { code: "upstream_error", retryable: true, blame: "model" };
/** The vendor has no endpoint for the wire of the request. */
export const noEndpoint: VendorFailure = { code: "upstream_error", retryable: true, blame: "wire" };

/** Creates the failure of input that the vendor refused; the client gets the vendor's message. */
export function inputRefused(error: ErrorBody): VendorFailure {
  const { code, type, status, message, param } = error;
  return {
    ...(isAboutSeals(error) ? { isAboutSeals: true } : {}),
    code: "upstream_rejected",
    message,
    vendorCode: code ?? type ?? status,
    param,
    retryable: false,
    blame: "request",
  };
}

/** The vendor does not serve the gateway's region: the channel is to blame, not its keys. */
export const regionRefused: VendorFailure = { code: "upstream_auth_failed", retryable: true, blame: "channel" };

/**
 * Creates the failure of a 403 that is not about the key but about what the request names (a file, a region, a policy).
 * Another vendor may accept it. The client gets the vendor's message.
 */
export function forbidden(error: ErrorBody): VendorFailure {
  return { ...inputRefused(error), retryable: true };
}

/** Matches messages about the key, or the account that pays for it. */
const keyWords =
  /\bapi[ _-]?keys?\b|\bcredentials?\b|\b(?:access|auth) token\b|\bbilling\b|\bcredits?\b|\bbalance\b|\barrears\b|\boverdue\b|\bquota\b|\b(?:account|organi[sz]ation|project)\b.{0,40}\b(?:suspended|deactivated|disabled|terminated|blocked)\b/i;
/**
 * Matches messages about what a request names; takes precedence over `keyWords`: `your API key has no access to the
 * file`.
 */
const requestWords =
  /\b(?:files?|models?|deployments?|assistants?|vector stores?|urls?|images?|polic(?:y|ies)|moderation|flagged|safety|content)\b/i;

/** Returns true if an error's message is about the key itself. */
export function isAboutKey({ message = "", param }: ErrorBody): boolean {
  return param === undefined && keyWords.test(message) && !requestWords.test(message);
}

/** Returns true if an error's message is about the region that the gateway calls from. */
export function isAboutRegion({ message = "" }: ErrorBody): boolean {
  return /\b(?:country|region|territory|location)\b.{0,60}\b(?:not supported|unsupported|not available|restricted)\b|\b(?:unsupported|not supported|not available|restricted)\b.{0,60}\b(?:country|region|territory|location)\b/i.test(
    message,
  );
}

/** Vendors' names of opaque reasoning data: signatures, encrypted content, and reasoning items that they keep by id. */
const sealWords =
  /\bsignature\b.*\bthinking\b|\bthinking\b.*\bsignature\b|\bredacted_thinking\b|thought.?signature|encrypted.content|'rs_/i;

function isAboutSeals({ code, message }: ErrorBody): boolean {
  return code === "invalid_encrypted_content" || (message !== undefined && sealWords.test(message));
}

/** Classifies an error by its status alone; most 4xx mean the client's input. */
export function meaningOfStatus(status: number, error: ErrorBody): VendorFailure {
  // 401 and 402 are about the caller, unless the error names a field of the request.
  if (status === 401 || status === 402) return error.param === undefined ? keyRefused(error) : forbidden(error);
  if (status === 403) return ofForbidden(error);
  if (status === 429) return keyLimited;
  if (status === 408 || status === 504) return timedOut;
  if (status === 405) return noEndpoint;
  if (status === 529) return overloaded;
  return status >= 400 && status < 500 && status !== 409 ? inputRefused(error) : broken;
}

/** Classifies a 403 by its message. */
function ofForbidden(error: ErrorBody): VendorFailure {
  if (isAboutRegion(error)) return regionRefused;
  // An empty body may come from anything, such as a firewall in between.
  if (error.message === undefined && error.code === undefined && error.type === undefined) return broken;
  return isAboutKey(error) ? keyRefused(error) : forbidden(error);
}
