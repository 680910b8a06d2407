import type { Endpoint } from "../endpoints/endpoint.ts";
import type { ErrorFormat } from "../failures/render.ts";
import { failures, type FailureCode } from "../failures/registry.ts";

type Json = Readonly<Record<string, unknown>>;

const text = { type: "string" } as const;
const nullable = { type: ["string", "null"] } as const;
const object = (properties: Json): Json => ({ type: "object", properties, required: Object.keys(properties) });
const commonError = object({ message: text, type: text, param: nullable, code: nullable });

/** The error bodies, one schema per family. */
export const errorSchemas = {
  ErrorResponse: object({ error: commonError }),
  AlphaErrorResponse: object({
    type: { const: "error" },
    error: object({ type: text, message: text }),
    request_id: text,
  }),
  GammaErrorResponse: object({ error: object({ code: { type: "integer" }, message: text, status: text }) }),
  TaskErrorResponse: object({ code: text, message: text, error: commonError }),
  EpsilonErrorResponse: object({
    code: { type: "integer" },
    message: text,
    data: { type: "null" },
    request_id: text,
    error: commonError,
  }),
} as const satisfies Record<string, Json>;

const schemaOf = {
  common: "ErrorResponse",
  alpha: "AlphaErrorResponse",
  gamma: "GammaErrorResponse",
  task: "TaskErrorResponse",
  epsilon: "EpsilonErrorResponse",
} as const satisfies Record<ErrorFormat, keyof typeof errorSchemas>;

/** The failures that an endpoint can answer with, by status. */
export function errorResponses(endpoint: Endpoint): Json {
  const format = endpoint.errors === "by-request" ? "common" : endpoint.errors;
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${schemaOf[format]}` } } };
  const byStatus = new Map<number, string[]>();
  for (const code of possibleFailures(endpoint)) {
    const { status, say } = failures[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `${code}: ${say}`]);
  }
  const rows = [...byStatus].sort(([left], [right]) => left - right);
  return Object.fromEntries(
    rows.map(([status, causes]) => [String(status), { description: causes.join("\n"), content }]),
  );
}

function possibleFailures(endpoint: Endpoint): readonly FailureCode[] {
  const always: readonly FailureCode[] = [
    "invalid_api_key",
    "contradicting_api_keys",
    "api_key_expired",
    "api_key_disabled",
  ];
  if (endpoint.unimplemented) return [...always, "api_not_implemented"];
  const limits: readonly FailureCode[] = ["rate_limit_exceeded", "server_overloaded", "internal_error"];
  const body: readonly FailureCode[] =
    endpoint.body === "none"
      ? []
      : [
          "invalid_json",
          "missing_required_parameter",
          "invalid_value",
          "request_timeout",
          "request_too_large",
          "unsupported_media_type",
        ];
  const call: readonly FailureCode[] =
    endpoint.kinds === undefined
      ? []
      : [
          "model_not_found",
          "model_not_allowed",
          "insufficient_quota",
          "channel_concurrency_exceeded",
          "no_available_channel",
          "upstream_error",
          "upstream_timeout",
          "upstream_rate_limited",
          "upstream_rejected",
        ];
  const task: readonly FailureCode[] = endpoint.path.includes("{task_id}") ? ["task_not_found"] : [];
  return [...always, ...limits, ...body, ...call, ...task];
}
