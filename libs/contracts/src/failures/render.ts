import { headers } from "../headers.ts";
import { withoutUndefined } from "../without-undefined.ts";
import type { Failure } from "./failure.ts";
import { failures } from "./registry.ts";

/**
 * Formats of error bodies: `alpha` is Anthropic's, `gamma` Gemini's, `epsilon` Jimeng's. `task` is the common format
 * with `code` and `message` at the top level.
 */
export type ErrorFormat = "common" | "alpha" | "gamma" | "task" | "epsilon" | "ollama";

type RenderedError = Readonly<Record<string, unknown>>;
type Render = (failure: Failure, requestId: string) => RenderedError;

const common: Render = (failure) => ({
  error: {
    message: failure.message,
    type: failure.kind.type,
    param: failure.param ?? null,
    code: failure.vendorCode ?? failure.code,
  },
});

const alpha: Render = ({ status, kind, message, details }, requestId) => ({
  type: "error",
  // A vendor's refusal may have this status.
  error: withoutUndefined({ type: status === 413 ? failures.request_too_large.alpha : kind.alpha, message, details }),
  request_id: requestId,
});

const gamma: Render = (failure) => {
  const details = geminiDetails(failure);
  return {
    error: {
      code: failure.status,
      message: failure.message,
      status: failure.kind.gamma,
      ...(details.length > 0 ? { details } : {}),
    },
  };
};

function geminiDetails(failure: Failure): readonly RenderedError[] {
  const rpc = (name: string, fields: RenderedError): RenderedError => ({
    "@type": `type.googleapis.com/google.rpc.${name}`,
    ...fields,
  });
  const details: RenderedError[] = [];
  if (failure.status === 401) details.push(rpc("ErrorInfo", { reason: "API_KEY_INVALID", domain: "googleapis.com" }));
  if (failure.param !== undefined) {
    details.push(rpc("BadRequest", { fieldViolations: [{ field: failure.param, description: failure.message }] }));
  }
  if (failure.retryAfterSeconds !== undefined) {
    details.push(rpc("RetryInfo", { retryDelay: `${failure.retryAfterSeconds}s` }));
  }
  return details;
}

const task: Render = (failure, requestId) => ({
  code: failure.vendorCode ?? failure.code,
  message: failure.message,
  ...common(failure, requestId),
});

const epsilon: Render = (failure, requestId) => ({
  code: failure.status,
  message: failure.message,
  data: null,
  request_id: requestId,
  ...common(failure, requestId),
});

const ollama: Render = ({ message }) => ({ error: message });

const renderers = { common, alpha, gamma, task, epsilon, ollama } as const satisfies Record<ErrorFormat, Render>;

/** Renders the JSON error body of a failure. */
export function renderFailure(format: ErrorFormat, failure: Failure, requestId: string): RenderedError {
  return renderers[format](failure, requestId);
}

/** Maximum seconds after which clients should repeat a call. Anthropic's SDKs would wait for hours without an error. */
const maxRetrySeconds = 60;

export function failureHeaders(failure: Failure): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  if (failure.retryAfterSeconds !== undefined) {
    values[headers.retryAfter] = String(Math.max(1, Math.ceil(failure.retryAfterSeconds)));
  } else if (failure.status === 429 || failure.status === 503) values[headers.retryAfter] = "1";
  // A vendor's wait is excluded, because another channel may be available earlier.
  const isLongLimit = failure.code === "rate_limit_exceeded" && (failure.retryAfterSeconds ?? 0) > maxRetrySeconds;
  if (!failure.kind.retryable || isLongLimit) values[headers.shouldRetry] = "false";
  if (failure.allow !== undefined) values["allow"] = failure.allow.join(", ");
  return values;
}
