import type { Endpoint } from "../endpoints/endpoint.ts";
import type { ErrorFormat } from "../failures/render.ts";
import { failures } from "../failures/registry.ts";
import type { EndpointId } from "../endpoints/table.ts";
import { possibleFailures } from "./possible-failures.ts";

type Json = Readonly<Record<string, unknown>>;

const text = { type: "string" } as const;
const nullable = { type: ["string", "null"] } as const;
const objectSchema = (properties: Json): Json => ({ type: "object", properties, required: Object.keys(properties) });
const commonError = objectSchema({ message: text, type: text, param: nullable, code: nullable });

export const errorSchemas = {
  ErrorResponse: objectSchema({ error: commonError }),
  AlphaErrorResponse: objectSchema({
    type: { const: "error" },
    error: objectSchema({ type: text, message: text }),
    request_id: text,
  }),
  GammaErrorResponse: objectSchema({ error: objectSchema({ code: { type: "integer" }, message: text, status: text }) }),
  TaskErrorResponse: objectSchema({ code: text, message: text, error: commonError }),
  EpsilonErrorResponse: objectSchema({
    code: { type: "integer" },
    message: text,
    data: { type: "null" },
    request_id: text,
    error: commonError,
  }),
  OllamaErrorResponse: objectSchema({ error: text }),
} as const satisfies Record<string, Json>;

const schemaOf = {
  common: "ErrorResponse",
  alpha: "AlphaErrorResponse",
  gamma: "GammaErrorResponse",
  task: "TaskErrorResponse",
  epsilon: "EpsilonErrorResponse",
  ollama: "OllamaErrorResponse",
} as const satisfies Record<ErrorFormat, keyof typeof errorSchemas>;

const modelListSchemas = (["common", "alpha", "gamma"] as const).map((format) => referenceTo(schemaOf[format]));

function referenceTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the OpenAPI responses of an endpoint's failures, by status. */
export function errorResponses(id: EndpointId, endpoint: Endpoint): Json {
  const schema =
    endpoint.errors === "by-request" ? { anyOf: modelListSchemas } : referenceTo(schemaOf[endpoint.errors]);
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
