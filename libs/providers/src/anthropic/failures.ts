import { readErrorBody } from "../error-body.ts";
import { keyInvalid, keyRefused, meaningOfStatus, noEndpoint, noModel } from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** What an error of a vendor of the messages wire means: `{type: "error", error: {type, message}}`; 529 is overloaded. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  if (error.type === "authentication_error") return keyInvalid;
  if (error.type === "permission_error" || error.type === "billing_error") return keyRefused;
  // An account without credit is told as the client's fault, with 400.
  if (status === 400 && /credit balance/i.test(error.message ?? "")) return keyRefused;
  if (status === 404) return /\bmodel\b/i.test(error.message ?? "") ? noModel : noEndpoint;
  return meaningOfStatus(status, error);
}
