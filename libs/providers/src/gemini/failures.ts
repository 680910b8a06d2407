import { readErrorBody, type ErrorBody } from "../error-body.ts";
import {
  keyRateLimitFailure,
  keyRefused,
  failureOfStatus,
  missingEndpointFailure,
  unknownModelFailure,
  regionRefused,
  isAboutKey,
  isAboutRegion,
  vendorTimeoutFailure,
} from "../vendor-failures.ts";
import type { VendorFailure } from "../provider.ts";

/** Reasons which mean that the key, its project or its billing is refused. */
const keyReasons: ReadonlySet<unknown> = new Set([
  "API_KEY_INVALID",
  "API_KEY_SERVICE_BLOCKED",
  "API_KEY_IP_ADDRESS_BLOCKED",
  "API_KEY_HTTP_REFERRER_BLOCKED",
  "ACCESS_TOKEN_EXPIRED",
  "ACCESS_TOKEN_TYPE_UNSUPPORTED",
  "CREDENTIALS_MISSING",
  "ACCOUNT_STATE_INVALID",
  "CONSUMER_INVALID",
  "CONSUMER_SUSPENDED",
  "SERVICE_DISABLED",
  "BILLING_DISABLED",
]);

/** Classifies an error of the content wire. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const keyError = error.details.find(({ reason }) => keyReasons.has(reason));
  if (keyError !== undefined) return keyRefused({ ...error, code: String(keyError["reason"]) });
  if (error.status === "UNAUTHENTICATED") return keyRefused(error);
  // This status is used for billing, for regions, and for files that are not ready.
  if (error.status === "FAILED_PRECONDITION") return preconditionFailure(error) ?? failureOfStatus(400, error);
  if (error.status === "RESOURCE_EXHAUSTED") return { ...keyRateLimitFailure, retryAfterMs: retryDelayOf(error) };
  if (error.status === "DEADLINE_EXCEEDED") return vendorTimeoutFailure;
  if (status === 404) return /\bmodels?\b/i.test(error.message ?? "") ? unknownModelFailure : missingEndpointFailure;
  return failureOfStatus(status, error);
}

function preconditionFailure(error: ErrorBody): VendorFailure | undefined {
  if (isAboutKey(error)) return keyRefused(error);
  return isAboutRegion(error) ? regionRefused : undefined;
}

/** Returns the delay of `RetryInfo`, such as "12s", in ms. */
function retryDelayOf({ details }: ErrorBody): number | undefined {
  const delay = details.find(({ retryDelay }) => typeof retryDelay === "string")?.["retryDelay"];
  const seconds = typeof delay === "string" ? Number.parseFloat(delay) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
