import { readErrorBody, type ErrorBody } from "../error-body.ts";
import {
  requestForbidden,
  inputRefused,
  keyRefused,
  failureOfStatus,
  missingEndpointFailure,
  unknownModelFailure,
  permissionMissing,
  regionRefused,
} from "../vendor-failures.ts";
import type { VendorFailure } from "../provider.ts";

/** Codes for an unknown or closed key, or an account that cannot pay. They occur with any status. */
const keyCodes: ReadonlySet<string> = new Set([
  "invalid_api_key",
  "invalid_organization",
  "invalid_project",
  "mismatched_organization",
  "mismatched_project",
  "account_deactivated",
  "access_terminated",
  "ip_not_authorized",
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
]);
/** Codes of a 401 or 403 that do not concern the key. */
const requestCodes: ReadonlySet<string> = new Set(["content_policy_violation", "content_filter"]);
/** Codes of a 404 for a path that does not exist. */
const pathCodes: ReadonlySet<string> = new Set(["unknown_url", "invalid_url", "not_found", "not_found_error", "404"]);

/** Classifies an error of an OpenAI-compatible vendor. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = error.code ?? error.type;
  if (code !== undefined && keyCodes.has(code)) return keyRefused(error);
  if (code === "unsupported_country_region_territory") return regionRefused;
  // The status is 404, or 403 if the key's project may not use the model.
  if (code === "model_not_found" || code === "model_not_available") return unknownModelFailure;
  if (code === "missing_scope") return permissionMissing(error);
  if (isForbidden(status, code)) return requestForbidden(error);
  if (status === 400 && isMissingEndpoint(error)) return missingEndpointFailure;
  if (status === 400 && isAboutEndpoint(error)) return { ...inputRefused(error), isAboutEndpoint: true };
  if (status === 404) return failureOfNotFound(error) ?? failureOfStatus(status, error);
  return failureOfStatus(status, error);
}

/** Returns true for a missing path. Some servers report it with status 400. */
function isMissingEndpoint({ param, message = "" }: ErrorBody): boolean {
  const unknownPathPattern =
    /\b(?:unknown|unsupported|unexpected|unrecognized|no such) (?:api )?(?:endpoint|path|route)\b/i;
  return param === undefined && unknownPathPattern.test(message);
}

/**
 * Returns true if the endpoint refuses something that another endpoint of the vendor accepts. Example: `… are not
 * supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.`
 */
function isAboutEndpoint({ message = "" }: ErrorBody): boolean {
  return /\bnot supported\b.{0,80}\bv1\/[a-z/]+\b.{0,80}\buse \/?v1\/[a-z/]+/is.test(message);
}

function isForbidden(status: number, code: string | undefined): boolean {
  return code !== undefined && requestCodes.has(code) && (status === 401 || status === 403);
}

/** Classifies a 404. A missing model or path is the fault of the gateway's configuration, not of the client. */
function failureOfNotFound({ code, type, message = "" }: ErrorBody): VendorFailure | undefined {
  const errorName = code ?? type;
  // Proxies that imitate OpenAI send this message with various codes.
  if (/^\s*invalid url\b/i.test(message)) return missingEndpointFailure;
  if (/\bmodel\b/i.test(message)) return unknownModelFailure;
  return errorName === undefined || pathCodes.has(errorName) ? missingEndpointFailure : undefined;
}
