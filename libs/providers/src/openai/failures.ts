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
  const error = readError(body);
  if ([401, 402, 403].includes(status) || keyCodes.has(error.code ?? ""))
    return { code: "upstream_auth_failed", retryable: true, blame: "key" };
  if (status === 429) return { code: "upstream_rate_limited", retryable: true, blame: "key" };
  if (status === 408 || status === 504) return { code: "upstream_timeout", retryable: true, blame: "channel" };
  if (isAboutRequest(status, error.code)) {
    return {
      code: "upstream_rejected",
      say: error.message,
      vendorCode: error.code,
      param: error.param,
      retryable: false,
      blame: "request",
    };
  }
  return { code: "upstream_error", retryable: true, blame: "channel" };
}

/** A model or path that this vendor does not have is the channel's fault: the model was in our catalogue. */
function isAboutRequest(status: number, code: string | undefined): boolean {
  if (status === 404) return code !== undefined && code !== "model_not_found";
  return status >= 400 && status < 500 && status !== 405 && status !== 409;
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
