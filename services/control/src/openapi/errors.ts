import type { FailureCode } from "@modelgate/contracts";

/** Codes of control's failures. The console has a text for each. */
const refusalCodes = [
  "invalid_value",
  "missing_required_parameter",
  "invalid_json",
  "invalid_api_key",
  "permission_denied",
  "unknown_url",
  "method_not_allowed",
  "request_too_large",
  "unsupported_media_type",
  "rate_limit_exceeded",
  "request_timeout",
  "insufficient_quota",
  "no_available_channel",
  "upstream_timeout",
  "server_overloaded",
  "internal_error",
] as const satisfies readonly FailureCode[];

const text = { type: "string" } as const;
const nullable = { type: ["string", "null"] } as const;

/** Schemas of the error answers in control's OpenAPI document. */
export const errorSchemas = {
  Refusal: {
    type: "object",
    properties: {
      error: {
        type: "object",
        properties: { message: text, type: text, param: nullable, code: { enum: [...refusalCodes, null] } },
        required: ["message", "type"],
      },
    },
    required: ["error"],
  },
} as const;
