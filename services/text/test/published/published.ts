import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { AnthropicType } from "./extract-anthropic.ts";

/** Lists the errors of a value by a published schema; empty for a valid value. */
export type Check = (value: unknown) => readonly string[];

const lenient = { strict: false, allErrors: true, validateFormats: false, verbose: true } as const;

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

/** Schemas of the types of Anthropic's SDK, which `extract-anthropic.ts` has stored. */
export const storedAnthropic: {
  /** `anthropicSource()` when they were stored. */
  readonly source: string;
  readonly schemas: Readonly<Record<AnthropicType, object>>;
} = JSON.parse(readFileSync(join(import.meta.dirname, "anthropic.golden.json"), "utf8"));

/** Returns the check of a type of Anthropic's SDK by its name. */
export const anthropicSchemas = (): ((name: AnthropicType) => Check) =>
  madeOnce((name) => checkOf(new Ajv2020(lenient).compile(storedAnthropic.schemas[name])));

/** Returns the name and version of the installed SDK of Anthropic. */
export function anthropicSource(): string {
  const index = fileURLToPath(import.meta.resolve("@anthropic-ai/sdk"));
  const { name, version } = JSON.parse(readFileSync(join(index, "../package.json"), "utf8"));
  return `${name} ${version}, MIT License`;
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
