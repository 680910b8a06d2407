import { readErrorBody, type ErrorBody } from "../error-body.ts";
import {
  forbidden,
  inputRefused,
  keyRefused,
  meaningOfStatus,
  noEndpoint,
  noModel,
  regionRefused,
} from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** Codes for an unknown or closed key, or an account that cannot pay, with any status. */
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
/** Codes of 401 and 403 that blame what a request names, not the key. */
const requestCodes: ReadonlySet<string> = new Set(["missing_scope", "content_policy_violation", "content_filter"]);
/** Codes of a 404 for a missing path; a body without a code means the same. */
const pathCodes: ReadonlySet<string> = new Set(["unknown_url", "invalid_url", "not_found", "not_found_error", "404"]);

/** Classifies an error of an OpenAI-compatible vendor, by its status and the code of its body. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = error.code ?? error.type;
  if (code !== undefined && keyCodes.has(code)) return keyRefused(error);
  if (code === "unsupported_country_region_territory") return regionRefused;
  // It comes with 404, or with 403 where the key's project may not use the model.
  if (code === "model_not_found" || code === "model_not_available") return noModel;
  if (isForbidden(status, code)) return forbidden(error);
  if (status === 400 && isAboutEndpoint(error)) return { ...inputRefused(error), isAboutEndpoint: true };
  if (status === 404) return notFound(error) ?? meaningOfStatus(status, error);
  return meaningOfStatus(status, error);
}

/**
 * Returns true if an endpoint refuses what another one of the vendor accepts: `Function tools with reasoning_effort are
 * not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.`
 */
function isAboutEndpoint({ message = "" }: ErrorBody): boolean {
  return /\bnot supported\b.{0,80}\bv1\/[a-z/]+\b.{0,80}\buse \/?v1\/[a-z/]+/is.test(message);
}

function isForbidden(status: number, code: string | undefined): boolean {
  return code !== undefined && requestCodes.has(code) && (status === 401 || status === 403);
}

/** Classifies a 404. A missing model or path is not the client's fault, since the gateway's catalogue has the model. */
function notFound({ code, type, message = "" }: ErrorBody): VendorFailure | undefined {
  const word = code ?? type;
  if (/\bmodel\b/i.test(message)) return noModel;
  return word === undefined || pathCodes.has(word) ? noEndpoint : undefined;
}
