import type { Endpoint } from "../endpoints/endpoint.ts";
import type { ErrorFormat } from "../failures/render.ts";
import { failures } from "../failures/registry.ts";
import type { EndpointId } from "../endpoints/table.ts";
import { possibleFailures } from "./possible-failures.ts";

type Json = Readonly<Record<string, unknown>>;

const text = { type: "string" } as const;
const nullable = { type: ["string", "null"] } as const;
const object = (properties: Json): Json => ({ type: "object", properties, required: Object.keys(properties) });
const commonError = object({ message: text, type: text, param: nullable, code: nullable });

/** Schemas of the error bodies, one for each format. */
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
  OllamaErrorResponse: object({ error: text }),
} as const satisfies Record<string, Json>;

const schemaOf = {
  common: "ErrorResponse",
  alpha: "AlphaErrorResponse",
  gamma: "GammaErrorResponse",
  task: "TaskErrorResponse",
  epsilon: "EpsilonErrorResponse",
  ollama: "OllamaErrorResponse",
} as const satisfies Record<ErrorFormat, keyof typeof errorSchemas>;

const listSchemas = (["common", "alpha", "gamma"] as const).map((format) => referenceTo(schemaOf[format]));

function referenceTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the OpenAPI responses of an endpoint's failures, by status. */
export function errorResponses(id: EndpointId, endpoint: Endpoint): Json {
  const schema = endpoint.errors === "by-request" ? { anyOf: listSchemas } : referenceTo(schemaOf[endpoint.errors]);
  const byStatus = new Map<number, string[]>();
  for (const code of possibleFailures(id, endpoint)) {
    const { status, message } = failures[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `${code}: ${message}`]);
  }
  const rows = [...byStatus].sort(([left], [right]) => left - right);
  return Object.fromEntries(
    rows.map(([status, causes]) => [
      String(status),
      { description: causes.join("\n"), content: { "application/json": { schema } } },
    ]),
  );
}
