import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";
import { anthropicSource } from "./published.ts";

/**
 * Creates `anthropic.golden.json` from the types of Anthropic's SDK, because Anthropic publishes no document: `node
 * services/text/test/published/extract-anthropic.ts`. The types require all members; here members that may be null, and
 * `caller`, are optional.
 */
const types = {
  "messages/messages": ["Message", "MessageTokensCount", "RawMessageStreamEvent"],
  shared: ["ErrorResponse"],
} as const;

export type AnthropicType = (typeof types)[keyof typeof types][number];

interface Part {
  readonly properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
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

const schemas = Object.entries(types).flatMap(([file, names]) => {
  const path = fileURLToPath(import.meta.resolve(`@anthropic-ai/sdk/resources/${file}`)).replace(/\.m?js$/, ".d.ts");
  const generator = createGenerator({ path, skipTypeCheck: true, additionalProperties: true, jsDoc: "none" });
  return names.map((name) => {
    // `$schema` is removed, because it names a draft that needs another validator; the rest is equal in both drafts.
    const { $schema: _, ...schema }: Readonly<Record<string, unknown>> = { ...generator.createSchema(name) };
    return `${JSON.stringify(name)}:${JSON.stringify(schema, (__, part: unknown) => relax(part))}`;
  });
});
const text = `{"source":${JSON.stringify(anthropicSource())},"schemas":{\n${schemas.join(",\n")}\n}}\n`;
writeFileSync(join(import.meta.dirname, "anthropic.golden.json"), text);
