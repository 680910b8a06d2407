import { readErrorBody } from "../error-body.ts";
import { broken, keyInvalid, keyRefused, meaningOfStatus, noEndpoint } from "../meanings.ts";
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
  if (status === 404) return notFound(code, error.message ?? "") ?? meaningOfStatus(status, error);
  return meaningOfStatus(status, error);
}

/** A model or path that this vendor does not have is the channel's fault: the model was in our catalogue. */
function notFound(code: string | undefined, message: string): VendorFailure | undefined {
  if (code === "model_not_found" || /\bmodel\b/i.test(message)) return broken;
  return code === undefined || pathCodes.has(code) ? noEndpoint : undefined;
}
