import { bracketPath, type Refusal } from "../checks/refusal.ts";
import type { AnswerHeaders, VendorCall } from "../vendor.ts";

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const invalidKey = "API_KEY_INVALID";

const detail = (name: string, members: object) => ({ "@type": `type.googleapis.com/google.rpc.${name}`, ...members });

export function errorOf({ status, message, code, path, retryAfter }: Refusal): object {
  const isReason = code === invalidKey;
  const details = [
    ...(isReason ? [detail("ErrorInfo", { reason: code, domain: "googleapis.com" })] : []),
    ...(path.length > 0
      ? [detail("BadRequest", { fieldViolations: [{ field: bracketPath(path), description: message }] })]
      : []),
    ...(retryAfter === undefined ? [] : [detail("RetryInfo", { retryDelay: `${retryAfter}s` })]),
  ];
  const word = isReason || code === undefined ? (statuses[status] ?? "UNKNOWN") : code;
  return { error: { code: status, message, status: word, ...(details.length > 0 && { details }) } };
}

/** Renders an error body. The error of an array stream is in an array. */
export function renderError(refusal: Refusal, _: AnswerHeaders, { path, query }: VendorCall): object {
  const error = errorOf(refusal);
  return path.endsWith(":streamGenerateContent") && query.get("alt") !== "sse" ? [error] : error;
}
