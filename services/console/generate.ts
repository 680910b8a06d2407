/**
 * Generates `src/api/types.ts` and `src/api/words.ts` from the description of control's API, and copies files of
 * contracts, because the console imports no package of the workspace.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const description = join(import.meta.dirname, "../control/openapi.json");
const folder = join(import.meta.dirname, "src/api");

/** Files of `libs/contracts/src` that are copied. */
export const copiedFiles = ["audit-text.ts", "plain-number.ts"];

/** Lists of words, each with its place in a named schema. */
const wordLists: Readonly<Record<string, readonly [schema: string, ...members: readonly string[]]>> = {
  operatorRoles: ["Session", "role"],
  budgetPeriods: ["Budget", "period"],
  budgetModes: ["Budget", "mode"],
  alertKinds: ["AlertTarget", "alerts", "items"],
  alertTargetKinds: ["AlertTarget", "kind"],
};

const emptyObject = "Readonly<Record<string, never>>";

type Json = Readonly<Record<string, unknown>>;

/** Returns the copy of a file of `libs/contracts/src`. */
export function copyOf(file: string): string {
  const source = readFileSync(join(import.meta.dirname, "../../libs/contracts/src", file), "utf8");
  return `// Copied from libs/contracts/src/${file}: node services/console/generate.ts\n\n${source}`;
}

/** Returns the types of all schemas and operations as TypeScript. */
export function typesOf(document: unknown): string {
  const schemas = objectAt(objectAt(document, "components"), "schemas");
  const types = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`);
  return `/* oxlint-disable max-lines */\n// Generated from services/control/openapi.json: node services/console/generate.ts\n\n${types.join("\n")}\n${operationsOf(document)}`;
}

/** Returns the lists of words, the units of prices, and the choices of forms as TypeScript. */
export function wordsOf(document: unknown): string {
  const schemas = objectAt(objectAt(document, "components"), "schemas");
  const lists = Object.entries(wordLists).map(([name, [schema, member, ...more]]) => {
    const properties = objectAt(objectAt(schemas, schema), "properties");
    const place = more.reduce(objectAt, objectAt(properties, member ?? ""));
    const found = typeof place["$ref"] === "string" ? objectAt(schemas, place["$ref"].replace(/^.*\//, "")) : place;
    if (!Array.isArray(found["enum"])) throw new Error(`${schema} has no list of words for ${name}`);
    return `export const ${name} = ${JSON.stringify(found["enum"])} as const;`;
  });
  const model = objectAt(objectAt(schemas, "Model"), "properties");
  const units = `export const priceUnits = ${JSON.stringify(objectAt(objectAt(model, "price"), "x-units"))} as const;`;
  const edited = objectAt(objectAt(objectAt(schemas, "Edit"), "properties"), "value");
  const choices = `export const partChoices = ${JSON.stringify(objectAt(edited, "x-choices"))} as const;`;
  return `// Generated from services/control/openapi.json: node services/console/generate.ts\n\n${[...lists, units, choices].join("\n")}\n`;
}

/** Returns the types of each operation's parameters and answer, by method and path. */
function operationsOf(document: unknown): string {
  const members = Object.entries(objectAt(document, "paths")).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).map(
      ([method, operation]) => `  readonly "${method.toUpperCase()} ${path}": ${operationOf(operation)};`,
    ),
  );
  return `/** Parameters, query, body and answer of each operation. */\nexport type Operations = {\n${members.join("\n")}\n};\n`;
}

function operationOf(operation: unknown): string {
  const parameters = isObject(operation) && Array.isArray(operation["parameters"]) ? operation["parameters"] : [];
  const named = (where: string, mark: string): string => {
    const names = parameters.filter(isObject).filter((parameter) => parameter["in"] === where);
    if (names.length === 0) return emptyObject;
    return `{ ${names.map(({ name }) => `readonly ${JSON.stringify(name)}${mark}`).join("; ")} }`;
  };
  const body = objectAt(objectAt(operation, "requestBody"), "content");
  const answer = objectAt(objectAt(objectAt(operation, "responses"), "200"), "content");
  const data = objectAt(objectAt(objectAt(answer, "application/json"), "schema"), "properties")["data"];
  return `{
    readonly params: ${named("path", ": string")};
    readonly query: ${named("query", "?: string | undefined")};
    readonly body: ${"application/json" in body ? typeOf(objectAt(body, "application/json")["schema"]) : emptyObject};
    readonly answer: ${data === undefined ? "string" : typeOf(data)};
  }`;
}

function typeOf(schema: unknown): string {
  if (!isObject(schema)) return "unknown";
  const { $ref, anyOf, const: constant, enum: words, type } = schema;
  if (typeof $ref === "string") return $ref.replace(/^.*\//, "");
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" | ");
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(" | ");
  if (Array.isArray(type)) return type.map((each: unknown) => typeOf({ ...schema, type: each })).join(" | ");
  if (type === "array") return `readonly (${typeOf(schema["items"])})[]`;
  if (type === "object") return objectType(schema);
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" || type === "null" ? type : "unknown";
}

function objectType(schema: Json): string {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const properties = Object.entries(objectAt(schema, "properties"));
  const [values] = Object.values(objectAt(schema, "patternProperties"));
  if (properties.length === 0 && values === undefined) return emptyObject;
  if (properties.length === 0) return `Readonly<Record<string, ${typeOf(values)}>>`;
  const members = properties.map(([name, member]) => {
    const optional = required.has(name) ? "" : "?";
    return `  readonly ${/^\w+$/.test(name) ? name : JSON.stringify(name)}${optional}: ${typeOf(member)};`;
  });
  return `{\n${members.join("\n")}\n}`;
}

function objectAt(value: unknown, name: string): Json {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

if (import.meta.main) {
  const document: unknown = JSON.parse(readFileSync(description, "utf8"));
  writeFileSync(join(folder, "types.ts"), typesOf(document));
  writeFileSync(join(folder, "words.ts"), wordsOf(document));
  for (const file of copiedFiles) writeFileSync(join(folder, file), copyOf(file));
}
