import { camelName, isRecord, type JsonRecord } from "@modelgate/formats/json";

/** Maximum depth of a schema. A deeper part becomes `{}`, which allows any value. */
const maxSchemaDepth = 64;

/** Members that JSON Schema lacks, or that are converted separately. */
const droppedMembers: ReadonlySet<string> = new Set(["propertyOrdering", "property_ordering", "nullable", "example"]);
const countMembers: ReadonlySet<string> = new Set(
  "minItems maxItems minProperties maxProperties minLength maxLength".split(" "),
);

/** Converts a schema in Gemini's format (upper-case types, `nullable`) to JSON Schema. */
export function toJsonSchema(schema: unknown, depth = 0): JsonRecord {
  if (!isRecord(schema) || depth > maxSchemaDepth) return {};
  const members = Object.entries(schema)
    .filter(([name]) => !droppedMembers.has(name))
    .map(([name, value]) => {
      const camel = camelName(name);
      const plain = camel === "anyOf" || countMembers.has(camel) ? camel : name;
      return [plain, convertMember(plain, value, depth + 1)] as const;
    });
  const example = schema["example"] ?? undefined;
  const converted: JsonRecord = Object.fromEntries(members);
  const withExamples = example === undefined ? converted : { ...converted, examples: [example] };
  return schema["nullable"] === true ? allowNull(withExamples) : withExamples;
}

function convertMember(name: string, value: unknown, depth: number): unknown {
  if (name === "type") return typeName(value);
  if (name === "items") return toJsonSchema(value, depth);
  if (name === "anyOf" && Array.isArray(value)) return value.map((each) => toJsonSchema(each, depth));
  if (name === "properties" && isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toJsonSchema(each, depth)]));
  if (countMembers.has(name) && typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return value;
}

function typeName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typeName);
  return typeof value === "string" ? value.toLowerCase() : value;
}

function allowNull(schema: JsonRecord): JsonRecord {
  const { type, enum: values, ...rest } = schema;
  const listed: readonly unknown[] | undefined = Array.isArray(values) ? values : undefined;
  const allowed = listed === undefined ? {} : { enum: [...listed, null] };
  if (typeof type === "string") return { type: [type, "null"], ...rest, ...allowed };
  return { anyOf: [schema, { type: "null" }] };
}
