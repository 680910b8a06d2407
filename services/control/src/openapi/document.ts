import { errorSchemas } from "./errors.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations/index.ts";
import * as alertShapes from "./alert-shapes.ts";
import * as otherShapes from "./shapes.ts";

type Json = Readonly<Record<string, unknown>>;

const shapes = { ...otherShapes, ...alertShapes };
const schemaNames: ReadonlyMap<unknown, string> = new Map(
  Object.entries(shapes).map(([name, schema]) => [schema, name]),
);

/** Returns control's API as OpenAPI 3.1, generated from the table of operations. */
export function openApiOfControl(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = "", path = ""] = route.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(route, operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "modelgate control",
      version: "1.0.0",
      description:
        "The operator's API: the console and gatectl are its clients. Money is decimal nano-dollars, times are RFC 3339.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ session: [] }, { key: [] }],
    paths,
    components: {
      schemas: {
        ...Object.fromEntries(Object.entries(shapes).map(([name, schema]) => [name, membersOf(schema)])),
        ...errorSchemas,
      },
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "modelgate_session" },
        key: { type: "http", scheme: "bearer", description: "an automation key: Authorization: Bearer mgo_…" },
      },
    },
  };
}

function describeOperation(route: string, { summary, area, role, query = {}, body, answer }: Operation): Json {
  const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: "query",
    description,
    schema: { type: "string" },
  }));
  return {
    operationId: operationId(route),
    summary,
    description: role === "visitor" ? "Needs no sign-in." : `Needs the role ${role}, or a higher one.`,
    tags: [area],
    ...(role === "visitor" ? { security: [] } : {}),
    parameters: [...inPath, ...inQuery],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: schemaOrReference(body) } } } }),
    responses: {
      "200": { description: "Done.", content: contentOf(answer) },
      default: {
        description: "Refused or failed.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } },
      },
    },
  };
}

function contentOf(answer: Operation["answer"]): Json {
  if (answer === "text/csv")
    return { "text/csv": { schema: { type: "string" } }, "application/x-ndjson": { schema: { type: "string" } } };
  if (answer === "application/json") return { "application/json": { schema: { type: "object" } } };
  const schema = { type: "object", properties: { data: schemaOrReference(answer) }, required: ["data"] };
  return { "application/json": { schema } };
}

/** Returns the operation id of a route: `GET /accounts/{id}/tokens` is `getAccountsIdTokens`. */
function operationId(route: string): string {
  const [first = "", ...words] = route.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return first.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** Returns a reference to a named schema, or the schema itself. */
function schemaOrReference(value: unknown): unknown {
  const name = schemaNames.get(value);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(value)) return value.map(schemaOrReference);
  return typeof value === "object" && value !== null ? membersOf(value) : value;
}

function membersOf(schema: object): Json {
  const members = Object.entries(schema).filter(([member]) => member !== "$id");
  return Object.fromEntries(members.map(([member, value]) => [member, schemaOrReference(value)]));
}
