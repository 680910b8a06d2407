import { readErrorBody } from "../error-body.ts";
import { keyRefused, meaningOfStatus, noEndpoint, noModel } from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** The account behind a key has no credit or was closed; answered as the client's fault, with 400. */
const accountWords = /\bcredit balance\b|\borganization has been disabled\b/i;

/**
 * What an error of a vendor of the messages wire means: `{type: "error", error: {type, message}}`; 529 is overloaded. A
 * permission_error (403) is also said of a file or model that a request names: its words decide.
 */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  if (error.type === "authentication_error" || error.type === "billing_error") return keyRefused(error);
  if (status === 400 && accountWords.test(error.message ?? "")) return keyRefused(error);
  if (status === 404) return /\bmodel\b/i.test(error.message ?? "") ? noModel : noEndpoint;
  return meaningOfStatus(status, error);
}
