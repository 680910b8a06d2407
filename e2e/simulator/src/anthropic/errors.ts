import { dottedPath, type Refusal } from "../checks/refusal.ts";
import type { AnswerHeaders } from "../vendor.ts";

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export const requestIdHeader = "request-id";

/** Renders an error body. The message begins with the invalid field. */
export function renderError({ status, message, code, path }: Refusal, headers: AnswerHeaders): object {
  const type = code ?? errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  const place = path.length > 0 ? `${dottedPath(path)}: ` : "";
  return {
    type: "error",
    error: { type, message: place + message },
    request_id: headers[requestIdHeader] ?? null,
  };
}
