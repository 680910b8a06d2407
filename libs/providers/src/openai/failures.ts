import { readErrorBody } from "../error-body.ts";
import { keyInvalid, keyRefused, meaningOfStatus, noEndpoint, noModel } from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** Codes that say that the account behind a key cannot pay, whatever the status. */
const quotaCodes: ReadonlySet<string> = new Set(["insufficient_quota", "billing_hard_limit_reached"]);
/** Codes that say that the key may not be used at all, likewise. */
const invalidKeyCodes: ReadonlySet<string> = new Set(["invalid_api_key", "account_deactivated"]);
/** Codes of a 404 that say that the path is not there; a body without a code says nothing else. */
const pathCodes: ReadonlySet<string> = new Set(["unknown_url", "invalid_url", "not_found", "not_found_error", "404"]);

/** What an error status of an OpenAI-compatible vendor means, by status and by the code of its error body. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = error.code ?? error.type;
  if (code !== undefined && quotaCodes.has(code)) return keyRefused;
  if (code !== undefined && invalidKeyCodes.has(code)) return keyInvalid;
  // With 404, or with 403 where a key's project may not use it.
  if (code === "model_not_found") return noModel;
  if (status === 404) return notFound(code, error.message ?? "") ?? meaningOfStatus(status, error);
  return meaningOfStatus(status, error);
}

/** A model or path that this vendor does not have is no fault of the client's: the model was in our catalogue. */
function notFound(code: string | undefined, message: string): VendorFailure | undefined {
  if (/\bmodel\b/i.test(message)) return noModel;
  return code === undefined || pathCodes.has(code) ? noEndpoint : undefined;
}
