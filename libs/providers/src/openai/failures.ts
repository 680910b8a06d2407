import { cleanWords } from "../clean.ts";
import type { VendorFailure } from "../provider.ts";

/** Codes that say that the account behind a key cannot pay or may not be used, whatever the status. */
const keyCodes = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "invalid_api_key",
  "account_deactivated",
]);

/** What an error status of an OpenAI-compatible vendor means, by status and by the code of its error body. */
export function failureOf(status: number, body: string): VendorFailure {
  const { code, message, param } = readError(body);
  if (status === 401 || status === 403 || status === 402 || keyCodes.has(code ?? "")) {
    return { code: "upstream_auth_failed", retryable: true, blame: "key" };
  }
  if (status === 429) return { code: "upstream_rate_limited", retryable: true, blame: "key" };
  if (status === 408 || status === 504) return { code: "upstream_timeout", retryable: true, blame: "channel" };
  if (status >= 400 && status < 500 && status !== 404 && status !== 405 && status !== 409) {
    return { code: "upstream_rejected", say: message, vendorCode: code, param, retryable: false, blame: "request" };
  }
  // A model or path that this vendor does not have is the channel's fault: the model was in our catalogue.
  if (status === 404 && code !== undefined && code !== "model_not_found") {
    return { code: "upstream_rejected", say: message, vendorCode: code, param, retryable: false, blame: "request" };
  }
  return { code: "upstream_error", retryable: true, blame: "channel" };
}

function readError(body: string): {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly param?: string | undefined;
} {
  let error: unknown;
  try {
    const parsed: unknown = JSON.parse(body);
    error = isObject(parsed) ? (parsed["error"] ?? parsed) : parsed;
  } catch {
    return {};
  }
  if (typeof error === "string") return { message: cleanWords(error) };
  if (!isObject(error)) return {};
  const { code, message, param, type } = error;
  return {
    code: typeof code === "string" ? code : typeof type === "string" ? type : undefined,
    message: typeof message === "string" ? cleanWords(message) : undefined,
    param: typeof param === "string" ? param : undefined,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
