import { withoutUndefined } from "../without-undefined.ts";
import type { Endpoint, KeyCarrier } from "../endpoints/endpoint.ts";
import { endpointIds, endpointOf, pathAliases, type EndpointId } from "../endpoints/table.ts";
import { headers } from "../headers.ts";
import { componentSchemas } from "./components.ts";
import { errorResponses } from "./errors.ts";
import { billedEndpointParameters, parametersOf } from "./parameters.ts";

type Json = Readonly<Record<string, unknown>>;

const securitySchemes = {
  authorization: { bearer: { type: "http", scheme: "bearer", description: "Authorization: Bearer sk-…" } },
  "x-api-key": { xApiKey: { type: "apiKey", in: "header", name: "x-api-key" } },
  "api-key": { apiKey: { type: "apiKey", in: "header", name: "api-key" } },
  "gamma-header": {
    gammaKey: { type: "apiKey", in: "header", name: "x-gamma-api-key", description: "also written x-goog-api-key" },
  },
  "gamma-query": { keyQuery: { type: "apiKey", in: "query", name: "key" } },
  subprotocol: {
    subprotocol: {
      type: "apiKey",
      in: "header",
      name: "Sec-WebSocket-Protocol",
      description: "item openai-insecure-api-key.<key>",
    },
  },
} as const satisfies Record<KeyCarrier, Json>;

/** Builds the OpenAPI 3.1 document of all endpoints for clients. The console has a separate document. */
export function openApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const id of endpointIds) {
    const endpoint = endpointOf(id);
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationFor(id, endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "modelgate",
      version: "1.0.0",
      description: `One address and one key for every AI model. Aliases: ${pathAliases.map(({ alias, path }) => `${alias} for ${path}`).join(", ")}.`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: Object.fromEntries(Object.values(securitySchemes).flatMap((scheme) => Object.entries(scheme))),
    },
  };
}

function operationFor(id: EndpointId, endpoint: Endpoint): Json {
  return withoutUndefined({
    operationId: id,
    summary: endpoint.summary,
    tags: [endpoint.unimplemented ? "unimplemented" : endpoint.area],
    security: endpoint.keys.flatMap((carrier) => Object.keys(securitySchemes[carrier]).map((name) => ({ [name]: [] }))),
    parameters: [
      ...[...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => pathParameter(name)),
      ...(parametersOf[id] ?? []),
      ...(endpoint.kinds === undefined || endpoint.free === true ? [] : billedEndpointParameters),
    ],
    requestBody: endpoint.schema === undefined ? undefined : { required: true, content: requestContent(endpoint) },
    responses: { ...successResponses(endpoint), ...errorResponses(id, endpoint) },
  });
}

function pathParameter(name: string): Json {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

function requestContent({ body, schema }: Endpoint): Json {
  const reference = { schema: { $ref: `#/components/schemas/${schema ?? ""}` } };
  const json = body === "multipart" ? {} : { "application/json": reference };
  return body === "json" ? json : { ...json, "multipart/form-data": reference };
}

function successResponses(endpoint: Endpoint): Json {
  if (endpoint.unimplemented) return {};
  if (endpoint.webSocket === true) return { "101": { description: "The protocol is switched to WebSocket." } };
  const type = endpoint.answerType ?? "application/json";
  const schema = type === "application/json" ? { type: "object" } : { type: "string", format: "binary" };
  const stream =
    endpoint.streamFormat && type === "application/json" ? { "text/event-stream": { schema: { type: "string" } } } : {};
  const content = { [type]: { schema }, ...stream };
  return { "200": { description: "Success.", ...(streamsText(endpoint) ? { headers: textHeaders } : {}), content } };
}

const textHeaders: Json = {
  [headers.maxOutputTokens]: {
    description:
      "Maximum output tokens of each answer if the request sets no limit and the balance does not cover the default.",
    schema: { type: "integer" },
  },
};

function streamsText({ area, streamFormat }: Endpoint): boolean {
  return area === "text" && streamFormat !== undefined;
}
