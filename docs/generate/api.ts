import { openApi } from "@modelgate/contracts";

type Json = Readonly<Record<string, unknown>>;

const document: unknown = JSON.parse(JSON.stringify(openApi()));
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const record = (value: unknown): Json => (isRecord(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Escapes a text for a table cell of the site. */
const cell = (value: string): string =>
  value.replaceAll("{", "&#123;").replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", "<br>");
const code = (value: string): string => `<code>${cell(value)}</code>`;

/** Returns the page of the complete API, from its OpenAPI document. */
export function apiPage(): string {
  const operations = Object.entries(record(record(document)["paths"])).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, operation]) => ({ path, method, operation: record(operation) })),
  );
  const byTag = Map.groupBy(operations, ({ operation }) => text(list(operation["tags"])[0]));
  return [
    "# API",
    "",
    "This page is generated from the OpenAPI document that the running gateway serves. If client and vendor use the same format, the vendor also gets",
    "members of a body that this page does not list.",
    "",
    "```sh",
    "curl -s http://127.0.0.1:8080/openapi.json",
    "```",
    "",
    "A request contains the API key in one of the places that its endpoint reads:",
    "",
    ...table(["place of the key", "in", "meaning"], Object.values(keyPlaces).map(keyPlaceRow)),
    ...[...byTag].flatMap(([tag, own]) => ["", `## ${tag}`, ...own.flatMap(operationLines)]),
    "",
  ].join("\n");
}

/** Places of API keys, by the names that operations refer to. */
const keyPlaces = record(record(record(document)["components"])["securitySchemes"]);

function keyPlaceName(place: Json): string {
  return place["type"] === "http" ? "Authorization" : text(place["name"]);
}

function keyPlaceRow(value: unknown): string[] {
  const place = record(value);
  const where = place["type"] === "http" ? "header" : text(place["in"]);
  return [code(keyPlaceName(place)), where, cell(text(place["description"]))];
}

/** Returns the line about the places in which an operation reads the key. */
function keyLines(operation: Json): string[] {
  const names = list(operation["security"]).flatMap((each) => Object.keys(record(each)));
  const places = names.map((name) => code(keyPlaceName(record(keyPlaces[name]))));
  return places.length === 0 ? [] : ["", `Key: ${places.join(", ")}.`];
}

function operationLines({ path, method, operation }: { path: string; method: string; operation: Json }): string[] {
  const parameters = list(operation["parameters"]).map(record);
  return [
    "",
    `### ${method.toUpperCase()} ${cell(path)}`,
    "",
    cell(text(operation["summary"])),
    ...keyLines(operation),
    ...(parameters.length === 0
      ? []
      : ["", ...table(["parameter", "in", "type", "meaning"], parameters.map(parameterRow))]),
    ...bodyLines(record(record(operation["requestBody"])["content"])),
    "",
    ...table(["status", "when"], Object.entries(record(operation["responses"])).map(responseRow)),
  ];
}

function parameterRow(parameter: Json): string[] {
  const name = `${text(parameter["name"])}${parameter["required"] === true ? " *" : ""}`;
  return [code(name), text(parameter["in"]), typeOf(parameter["schema"]), cell(text(parameter["description"]))];
}

/** Returns the lines about the members of a body. Media types with equal schemas are described once. */
function bodyLines(content: Json): string[] {
  const schemas = Map.groupBy(Object.entries(content), ([, media]) => JSON.stringify(record(media)["schema"]));
  return [...schemas.values()].flatMap((same) => {
    const schema = resolved(record(same[0]?.[1])["schema"]);
    const required = new Set(list(schema["required"]));
    const rows = Object.entries(record(schema["properties"])).map(([name, member]) => [
      code(required.has(name) ? `${name} *` : name),
      typeOf(member),
      cell(text(resolved(member)["description"])),
    ]);
    const types = same.map(([type]) => code(type)).join(", ");
    return rows.length === 0
      ? ["", `Body: ${types}.`]
      : ["", `Body: ${types}. Members with * are required.`, "", ...table(["member", "type", "meaning"], rows)];
  });
}

function responseRow([status, response]: [string, unknown]): string[] {
  return [status, cell(text(record(response)["description"]))];
}

/** Returns a schema, or the schema that a reference names. */
function resolved(schema: unknown): Json {
  const found = record(schema);
  const name = text(found["$ref"]).split("/").at(-1);
  return name === undefined || name === ""
    ? found
    : record(record(record(record(document)["components"])["schemas"])[name]);
}

function typeOf(schema: unknown): string {
  const found = resolved(schema);
  const alternatives = [...list(found["anyOf"]), ...list(found["oneOf"])].map(typeOf).filter((type) => type !== "null");
  if (alternatives.length > 0) return [...new Set(alternatives)].join(" or ");
  if (found["const"] !== undefined) return code(JSON.stringify(found["const"]));
  if (Array.isArray(found["enum"])) return found["enum"].map((each) => code(String(each))).join(", ");
  const type = text(found["type"]);
  return type === "array" ? `list of ${typeOf(found["items"])}` : type === "" ? "any" : type;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
