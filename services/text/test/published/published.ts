import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { createGenerator } from "ts-json-schema-generator";

/** Lists the errors of a value by a published schema; empty for a valid value. */
export type Check = (value: unknown) => readonly string[];

const lenient = { strict: false, allErrors: true, validateFormats: false, verbose: true } as const;

interface Part {
  readonly properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
}

/** Members that are null in OpenAI's own answers although its document does not allow null, by schema. */
const nulls: Readonly<Record<string, readonly string[]>> = {
  CreateChatCompletionResponse: ["system_fingerprint"],
  CreateChatCompletionStreamResponse: ["system_fingerprint"],
  CreateCompletionResponse: ["finish_reason"],
  Response: ["user", "usage"],
  ModelResponseProperties: ["user"],
};

/** Compiles OpenAI's schemas of answers. Returns the check by schema name. */
export function openaiSchemas(): (name: string) => Check {
  const { components } = JSON.parse(readFileSync(join(import.meta.dirname, "openai.golden.json"), "utf8"));
  const schemas: Record<string, unknown> = components.schemas;
  for (const [name, members] of Object.entries(nulls))
    schemas[name] = JSON.parse(JSON.stringify(schemas[name] ?? {}), (member, value: unknown) =>
      members.includes(member) && isSchema(value) ? { anyOf: [value, { type: "null" }] } : value,
    );
  const ajv = new Ajv2020(lenient);
  ajv.addSchema({ components }, "openai");
  return madeOnce((name) => checkOf(ajv.compile({ $ref: `openai#/components/schemas/${name}` })));
}

/** Caches the checks that `make` creates, by their names. */
function madeOnce<Name extends readonly string[]>(make: (...name: Name) => Check): (...name: Name) => Check {
  const checks = new Map<string, Check>();
  return (...name) => {
    const check = checks.get(name.join(" ")) ?? make(...name);
    checks.set(name.join(" "), check);
    return check;
  };
}

function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("type" in value || "$ref" in value);
}

/**
 * Creates schemas from the types of Anthropic's SDK, because Anthropic publishes no document. The types require all
 * members; here members that may be null, and `caller`, are optional.
 */
export function anthropicSchemas(): (file: string, type: string) => Check {
  const generators = new Map<string, ReturnType<typeof createGenerator>>();
  return madeOnce((file, type) => {
    const path = fileURLToPath(import.meta.resolve(`@anthropic-ai/sdk/resources/${file}`)).replace(/\.m?js$/, ".d.ts");
    const known =
      generators.get(path) ?? createGenerator({ path, skipTypeCheck: true, additionalProperties: true, jsDoc: "none" });
    generators.set(path, known);
    const { $schema: _, ...schema }: Readonly<Record<string, unknown>> = { ...known.createSchema(type) };
    const relaxed: object = JSON.parse(JSON.stringify(schema), (__, part: unknown) => relax(part));
    // `$schema` is removed, because it names a draft that needs another validator; the rest is equal in both drafts.
    return checkOf(new Ajv2020(lenient).compile(relaxed));
  });
}

function relax(part: unknown): unknown {
  if (!isPart(part)) return part;
  const { properties = {}, required = [] } = part;
  const demanded = required.filter((name) => name !== "caller" && !mayBeNull(properties[name]));
  return { ...part, required: demanded };
}

function isPart(value: unknown): value is Part {
  return typeof value === "object" && value !== null && "properties" in value && "required" in value;
}

function mayBeNull(schema: unknown): boolean {
  const text = JSON.stringify(schema) ?? "";
  return /"null"/.test(text);
}

/** Creates the check of a compiled schema. Errors of alternatives with another `type` are left out. */
function checkOf(validate: ValidateFunction): Check {
  return (value) => {
    if (validate(value)) return [];
    const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== "anyOf");
    const definition = (path: string): string => path.replace(/\/properties\/.*|\/required.*/, "");
    const otherTypes = new Set(
      errors.flatMap(({ instancePath, keyword, schemaPath }) =>
        (keyword === "const" || keyword === "enum") && instancePath.endsWith("/type") ? [definition(schemaPath)] : [],
      ),
    );
    const own = errors.filter(({ schemaPath }) => !otherTypes.has(definition(schemaPath)));
    const messages = (own.length === 0 ? errors : own).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    return messages.length === 0 ? ["it fits no alternative"] : [...new Set(messages)].slice(0, 12);
  };
}
