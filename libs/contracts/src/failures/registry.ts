/** One cause of failure, with its values in the formats of error bodies. */
export interface FailureKind {
  readonly status: number;
  /** Value of `error.type` in the common format. */
  readonly type: string;
  /** Value of `error.type` in the Anthropic format (`alpha`). */
  readonly alpha: string;
  /** Value of `error.status` in the Gemini format (`gamma`). */
  readonly gamma: string;
  /** True if the same call may succeed later. Otherwise a header tells clients' SDKs not to retry. */
  readonly retryable: boolean;
  /** Message of a failure that has no specific message. */
  readonly message: string;
}

const invalid = {
  type: "invalid_request_error",
  alpha: "invalid_request_error",
  gamma: "INVALID_ARGUMENT",
  retryable: false,
};
const unauthenticated = { ...invalid, status: 401, alpha: "authentication_error", gamma: "UNAUTHENTICATED" };
const forbidden = {
  status: 403,
  type: "permission_error",
  alpha: "permission_error",
  gamma: "PERMISSION_DENIED",
  retryable: false,
};
const notFound = { ...invalid, status: 404, alpha: "not_found_error", gamma: "NOT_FOUND" };
const unpaid = {
  status: 402,
  type: "insufficient_quota",
  alpha: "billing_error",
  gamma: "FAILED_PRECONDITION",
  retryable: false,
};
const rateLimited = {
  status: 429,
  type: "rate_limit_error",
  alpha: "rate_limit_error",
  gamma: "RESOURCE_EXHAUSTED",
  retryable: true,
};
const unavailable = {
  status: 503,
  type: "server_error",
  alpha: "overloaded_error",
  gamma: "UNAVAILABLE",
  retryable: true,
};
const upstreamFailed = { status: 502, type: "upstream_error", alpha: "api_error", gamma: "INTERNAL", retryable: true };

/** Causes of failure by their `error.code` in the common format. */
export const failures = {
  // Authentication
  invalid_api_key: { ...unauthenticated, message: "The API key is missing, incomplete or wrong." },
  contradicting_api_keys: {
    ...unauthenticated,
    message: "The request contains more than one API key; send exactly one.",
  },
  api_key_expired: { ...unauthenticated, message: "This API key has expired." },
  api_key_disabled: { ...unauthenticated, message: "This API key is disabled." },
  address_not_allowed: { ...forbidden, message: "This API key may not be used from this address." },
  account_disabled: { ...forbidden, message: "This account is disabled." },

  permission_denied: { ...forbidden, message: "Your role does not allow this." },
  origin_not_allowed: { ...forbidden, message: "This origin is not allowed to connect." },

  // Permissions and existence
  model_not_found: { ...notFound, message: "The model does not exist or this key cannot use it." },
  model_not_allowed: { ...forbidden, message: "This key may not use this model." },
  group_not_allowed: { ...forbidden, message: "The group of this key no longer exists." },
  insufficient_quota: { ...unpaid, message: "The account's balance does not cover this call." },
  rate_limit_exceeded: { ...rateLimited, message: "Too many requests for this key." },
  channel_concurrency_exceeded: {
    ...rateLimited,
    message: "Every channel of this model is at its limit; try again shortly.",
  },
  no_available_channel: { ...unavailable, message: "No channel of this model is available now." },

  // The request
  invalid_json: { ...invalid, status: 400, message: "The body is not valid JSON." },
  missing_required_parameter: { ...invalid, status: 400, message: "A required parameter is missing." },
  invalid_value: { ...invalid, status: 400, message: "A parameter has a value that is not allowed." },
  unsupported_parameter: {
    ...invalid,
    status: 400,
    message: "The vendor of this model does not support a parameter of this request.",
  },
  previous_response_not_found: {
    ...invalid,
    status: 400,
    message: "The previous response does not exist or has expired.",
  },
  file_input_not_streamable: {
    ...invalid,
    status: 400,
    message: "File input is accepted only without streaming: set stream to false.",
  },
  request_too_large: {
    ...invalid,
    status: 413,
    alpha: "request_too_large",
    message: "The body is larger than this endpoint accepts.",
  },
  websocket_required: {
    ...invalid,
    status: 400,
    message: "This endpoint is a WebSocket: connect with a WebSocket client.",
  },
  unsupported_media_type: {
    ...invalid,
    status: 415,
    message: "The content type or encoding of the body is not accepted here.",
  },
  request_timeout: { ...invalid, status: 408, retryable: true, message: "The body did not arrive in time." },
  invalid_url_double_v1: {
    ...notFound,
    message: "The path contains /v1 twice: remove /v1 from the end of the base address in your client's settings.",
  },
  unknown_url: { ...notFound, message: "This path does not exist." },
  method_not_allowed: { ...invalid, status: 405, message: "This path does not support this method." },
  api_not_implemented: {
    status: 501,
    type: "not_implemented_error",
    alpha: "api_error",
    gamma: "UNIMPLEMENTED",
    retryable: false,
    message: "This endpoint is not implemented.",
  },
  content_limit_exceeded: {
    ...rateLimited,
    retryable: false,
    message:
      "The account has reached its limit of stored content: delete responses or conversations, or wait until some expire.",
  },
  thread_not_found: {
    ...notFound,
    message: "The thread does not exist or has expired: send the whole conversation.",
  },
  response_not_found: { ...notFound, message: "The response does not exist or has expired." },
  conversation_not_found: { ...notFound, message: "The conversation does not exist or has expired." },
  task_not_found: { ...notFound, message: "The task does not exist." },
  video_not_ready: { ...notFound, message: "The video is not finished." },
  video_expired: { ...notFound, message: "This video has expired at the vendor." },
  task_not_finished: {
    ...invalid,
    status: 409,
    message: "The task is still running; it can be deleted when it has ended.",
  },

  // The vendor
  upstream_error: { ...upstreamFailed, message: "The vendor failed to answer." },
  answer_too_large: {
    ...upstreamFailed,
    retryable: false,
    message: "The vendor's answer exceeds the gateway's size limit; request less output.",
  },
  compaction_failed: {
    ...upstreamFailed,
    retryable: false,
    message: "The model wrote no complete summary of the conversation; its tokens are charged.",
  },
  create_uncertain: {
    ...upstreamFailed,
    retryable: false,
    message:
      "The vendor may have accepted the task before its answer was lost: it is not sent again, and nothing is charged.",
  },
  upstream_auth_failed: { ...upstreamFailed, message: "The vendor refused the gateway's own credentials." },
  upstream_proxy_failed: { ...upstreamFailed, message: "The gateway's proxy to the vendor failed." },
  upstream_timeout: {
    status: 504,
    type: "upstream_error",
    alpha: "timeout_error",
    gamma: "DEADLINE_EXCEEDED",
    retryable: true,
    message: "The vendor did not answer in time.",
  },
  upstream_overloaded: {
    ...upstreamFailed,
    alpha: "overloaded_error",
    message: "The vendor is overloaded; try again shortly.",
  },
  upstream_rate_limited: { ...rateLimited, message: "The vendor is rate limiting this model." },
  upstream_rejected: { ...invalid, status: 400, message: "The vendor refused the request." },

  session_expired: { ...invalid, status: 400, message: "The session has reached one of its limits." },

  // The gateway
  server_overloaded: { ...unavailable, message: "The gateway has reached one of its own limits; try again shortly." },
  internal_error: {
    status: 500,
    type: "server_error",
    alpha: "api_error",
    gamma: "INTERNAL",
    retryable: true,
    message: "The gateway failed.",
  },
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof failures;

/** Returns true if a code is in the registry. Codes of other versions may be missing. */
export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === "string" && Object.hasOwn(failures, code);
}
