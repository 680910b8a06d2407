import type { ErrorBody } from "./error-body.ts";
import type { VendorFailure } from "./provider.ts";

/** The key is unknown, cannot pay, or may not be used: another key may succeed. */
export function keyRefused(error: ErrorBody): VendorFailure {
  const vendorCode = error.code ?? error.type ?? error.status;
  return { code: "upstream_auth_failed", retryable: true, blame: "key", vendorCode };
}
/** The same of what is computed or fetched to admit a call: a signature, or a token. */
export function credentialsRefused(error: ErrorBody): VendorFailure {
  return { ...keyRefused(error), isCertain: true };
}
/** The key is too fast for its vendor. */
export const keyLimited: VendorFailure = { code: "upstream_rate_limited", retryable: true, blame: "key" };
export const timedOut: VendorFailure = { code: "upstream_timeout", retryable: true, blame: "channel" };
/** The vendor fails, is overloaded, or is not the one that the channel names. */
export const broken: VendorFailure = { code: "upstream_error", retryable: true, blame: "channel" };
/** The vendor has more to do than it can. */
export const overloaded: VendorFailure = { code: "upstream_overloaded", retryable: true, blame: "channel" };
/** The vendor does not have the model, or not for this key: its others may be there. */
export const noModel: VendorFailure = { code: "upstream_error", retryable: true, blame: "model" };
/** The vendor has no endpoint for the wire of the request. */
export const noEndpoint: VendorFailure = { code: "upstream_error", retryable: true, blame: "wire" };

/** The client's input was refused: the client gets the vendor's message. */
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

/** The vendor does not serve the region that the gateway calls from: the channel is to blame, whatever its keys. */
export const regionRefused: VendorFailure = { code: "upstream_auth_failed", retryable: true, blame: "channel" };

/**
 * A 403 that says nothing of the key: it is about what the request names (a file, a region, a policy), and another vendor
 * may take it. The client gets the vendor's words.
 */
export function forbidden(error: ErrorBody): VendorFailure {
  return { ...inputRefused(error), retryable: true };
}

/** Words that speak of the key, or of the account that pays for it. */
const keyWords =
  /\bapi[ _-]?keys?\b|\bcredentials?\b|\b(?:access|auth) token\b|\bbilling\b|\bcredits?\b|\bbalance\b|\barrears\b|\boverdue\b|\bquota\b|\b(?:account|organi[sz]ation|project)\b.{0,40}\b(?:suspended|deactivated|disabled|terminated|blocked)\b/i;
/** Words that speak of what a request names; they outweigh the others: `your API key has no access to the file`. */
const requestWords =
  /\b(?:files?|models?|deployments?|assistants?|vector stores?|urls?|images?|polic(?:y|ies)|moderation|flagged|safety|content)\b/i;

/** Returns whether an error's message is about the key itself. */
export function isAboutKey({ message = "", param }: ErrorBody): boolean {
  return param === undefined && keyWords.test(message) && !requestWords.test(message);
}

/** Returns whether an error's message is about the region that the gateway calls from. */
export function isAboutRegion({ message = "" }: ErrorBody): boolean {
  return /\b(?:country|region|territory|location)\b.{0,60}\b(?:not supported|unsupported|not available|restricted)\b|\b(?:unsupported|not supported|not available|restricted)\b.{0,60}\b(?:country|region|territory|location)\b/i.test(
    message,
  );
}

/** Vendors' names of the seals of thoughts: signatures, encrypted content, and reasoning items that they keep by id. */
const sealWords =
  /\bsignature\b.*\bthinking\b|\bthinking\b.*\bsignature\b|\bredacted_thinking\b|thought.?signature|encrypted.content|'rs_/i;

function isAboutSeals({ code, message }: ErrorBody): boolean {
  return code === "invalid_encrypted_content" || (message !== undefined && sealWords.test(message));
}

/** Classifies an error by its status alone; a 4xx is about the client's input. */
export function meaningOfStatus(status: number, error: ErrorBody): VendorFailure {
  // 401 and 402 are about who calls; a field that is named is the request's all the same.
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
  // Without a word it may be anything, a firewall in between as well.
  if (error.message === undefined && error.code === undefined && error.type === undefined) return broken;
  return isAboutKey(error) ? keyRefused(error) : forbidden(error);
}
