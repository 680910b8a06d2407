import { isRecord, listAt, memberOf, numberAt, textAt } from "../checks/members.ts";

const maxDepth = 12;

/** Returns a simple value that matches a JSON Schema or a Gemini schema. The same schema gives the same value. */
export function valueFor(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isRecord(schema) || depth > maxDepth) return null;
  if ("const" in schema) return schema["const"];
  const reference = textAt(schema, "$ref");
  if (reference !== undefined) return valueFor(referencedSchema(root, reference), root, depth + 1);
  const [first] = [schema["enum"], schema["anyOf"], schema["oneOf"], schema["allOf"]].find(Array.isArray) ?? [];
  if (first !== undefined) return Array.isArray(schema["enum"]) ? first : valueFor(first, root, depth + 1);
  return ofType(typeOf(schema), schema, root, depth);
}

function ofType(type: string, schema: object, root: unknown, depth: number): unknown {
  if (type === "object") return objectFor(schema, root, depth);
  if (type === "array") return listFor(schema, root, depth);
  if (type === "integer" || type === "number") return numberFor(schema);
  if (type === "boolean") return true;
  return type === "null" ? null : textFor(schema);
}

const maxElements = 100;

function listFor(schema: object, root: unknown, depth: number): unknown {
  const length = Math.min(numberAt(schema, "minItems") ?? 1, maxElements);
  const items = memberOf(schema, "items") ?? { type: "string" };
  return Array.from({ length }, () => valueFor(items, root, depth + 1));
}

function objectFor(schema: object, root: unknown, depth: number): unknown {
  const properties = memberOf(schema, "properties");
  const required = listAt(schema, "required");
  return Object.fromEntries(
    Object.entries(isRecord(properties) ? properties : {})
      .filter(([name]) => depth < maxDepth / 2 || required.includes(name))
      .map(([name, property]) => [name, valueFor(property, root, depth + 1)]),
  );
}

/**
 * Returns the minimum of a schema, or 1, but at most its maximum. The smallest safe integer is not a minimum: some
 * clients send it if they have none.
 */
function numberFor(schema: object): number {
  const bound = (name: string, step: number): number => (numberAt(schema, name) ?? Number.NaN) + step;
  const least = [bound("minimum", 0), bound("exclusiveMinimum", 1)].filter((at) => at > Number.MIN_SAFE_INTEGER);
  const maximum = [bound("maximum", 0), bound("exclusiveMaximum", -1)].filter((at) => !Number.isNaN(at));
  return Math.min(least.length > 0 ? Math.max(...least) : 1, ...maximum);
}

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  time: "00:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function textFor(schema: object): string {
  const format = formats[textAt(schema, "format") ?? ""];
  if (format !== undefined) return format;
  return "words".padEnd(numberAt(schema, "minLength") ?? 0, "s").slice(0, numberAt(schema, "maxLength") ?? Infinity);
}

function typeOf(schema: object): string {
  const type = memberOf(schema, "type");
  const [word] = Array.isArray(type) ? type.filter((name) => name !== "null") : [type];
  if (typeof word === "string") return word.toLowerCase();
  return memberOf(schema, "properties") === undefined ? "string" : "object";
}

function referencedSchema(root: unknown, reference: string): unknown {
  return reference
    .split("/")
    .slice(1)
    .reduce((at: unknown, step) => memberOf(at, step.replaceAll("~1", "/").replaceAll("~0", "~")), root);
}
