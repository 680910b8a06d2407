import { readErrorBody, type ErrorBody } from "../error-body.ts";
import { keyInvalid, keyLimited, keyRefused, meaningOfStatus, noEndpoint, noModel, timedOut } from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** What an error of the content wire means: `{error: {code, message, status, details}}`. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  if (isUnknownKey(error)) return keyInvalid;
  if (isAboutKey(error)) return keyRefused;
  if (error.status === "RESOURCE_EXHAUSTED") return { ...keyLimited, retryAfterMs: retryDelayOf(error) };
  if (error.status === "DEADLINE_EXCEEDED") return timedOut;
  if (status === 404) return /\bmodels?\b/i.test(error.message ?? "") ? noModel : noEndpoint;
  return meaningOfStatus(status, error);
}

/** A wrong key is 400 INVALID_ARGUMENT here, told apart by a detail. */
function isUnknownKey({ status, details }: ErrorBody): boolean {
  return status === "UNAUTHENTICATED" || details.some(({ reason }) => reason === "API_KEY_INVALID");
}

/** FAILED_PRECONDITION is billing or region. */
function isAboutKey({ status }: ErrorBody): boolean {
  return status === "PERMISSION_DENIED" || status === "FAILED_PRECONDITION";
}

/** `RetryInfo` says "12s". */
function retryDelayOf({ details }: ErrorBody): number | undefined {
  const delay = details.find(({ retryDelay }) => typeof retryDelay === "string")?.["retryDelay"];
  const seconds = typeof delay === "string" ? Number.parseFloat(delay) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
