import type { ErrorBody } from "./error-body.ts";
import type { VendorFailure } from "./provider.ts";

/** The key cannot pay, or may not be used: another key may. */
export const keyRefused: VendorFailure = { code: "upstream_auth_failed", retryable: true, blame: "key" };
/** The vendor does not know the key, or has closed its account. */
export const keyInvalid: VendorFailure = { ...keyRefused, keyIsInvalid: true };
/** The key is too fast for its vendor. */
export const keyLimited: VendorFailure = { code: "upstream_rate_limited", retryable: true, blame: "key" };
export const timedOut: VendorFailure = { code: "upstream_timeout", retryable: true, blame: "channel" };
/** The vendor is broken, overloaded, or not what the channel says it is. */
export const broken: VendorFailure = { code: "upstream_error", retryable: true, blame: "channel" };
/** The vendor does not have the model, or not for this key: its others may be there. */
export const noModel: VendorFailure = { code: "upstream_error", retryable: true, blame: "model" };
/** The vendor has no endpoint for the wire that it was spoken to in. */
export const noEndpoint: VendorFailure = { code: "upstream_error", retryable: true, blame: "wire" };

/** The client's input was refused: it is told the vendor's words. */
export function inputRefused(error: ErrorBody): VendorFailure {
  const { code, type, status, message, param } = error;
  return {
    ...(isAboutSeals(error) ? { aboutSeals: true } : {}),
    code: "upstream_rejected",
    say: message,
    vendorCode: code ?? type ?? status,
    param,
    retryable: false,
    blame: "request",
  };
}

/** How vendors name the seals of thoughts: signatures, encrypted content, and reasoning items that they keep by id. */
const sealWords =
  /\bsignature\b.*\bthinking\b|\bthinking\b.*\bsignature\b|\bredacted_thinking\b|thought.?signature|encrypted.content|'rs_/i;

function isAboutSeals({ code, message }: ErrorBody): boolean {
  return code === "invalid_encrypted_content" || (message !== undefined && sealWords.test(message));
}

/** What a status means whose body says nothing more; a 4xx is about the client's input. */
export function meaningOfStatus(status: number, error: ErrorBody): VendorFailure {
  if (status === 401) return keyInvalid;
  if (status === 402 || status === 403) return keyRefused;
  if (status === 429) return keyLimited;
  if (status === 408 || status === 504) return timedOut;
  if (status === 405) return noEndpoint;
  return status >= 400 && status < 500 && status !== 409 ? inputRefused(error) : broken;
}
