import { Configuration } from "@modelgate/contracts";

/** Members of a JSON schema. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

/** Returns the reference of the YAML configuration, with a section for each object. */
export function configurationPage(): string {
  // Schemas of TypeBox are JSON Schema documents.
  const schema: Schema = JSON.parse(JSON.stringify(Configuration));
  return [
    "# Configuration",
    "",
    "The configuration is a YAML document. It is in the file that `MODELGATE_CONFIG` names. Without this variable it is in the books, and you edit it in the",
    "console ([Models and channels](/guide/models)). A change takes effect without a restart. If a change is invalid, the error names the path of each wrong",
    "field, and the last valid configuration stays active. This command checks a file:",
    "",
    "```sh",
    "npm run gatectl -- config check deploy/config/demo.yaml",
    "```",
    "",
    "`deploy/config/demo.yaml` is an example with comments. This page is generated from the schema of the check.",
    "",
    ...sections("", schema, 2),
  ].join("\n");
}

function sections(path: string, schema: Schema, depth: number): readonly string[] {
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return [];
  const required = new Set(schema.required);
  const heading = path === "" ? [] : [`${"#".repeat(Math.min(depth, 4))} ${path}`, ""];
  const rows = members.map(([name, member]) =>
    [`\`${name}\``, typeOf(member), required.has(name) ? "required" : shownDefault(member), wordsOf(member)].map(cell),
  );
  return [
    ...heading,
    "| member | type | default | meaning |",
    "|---|---|---|---|",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    ...members.flatMap(([name, member]) => below(path === "" ? name : `${path}.${name}`, member, depth)),
  ];
}

function below(path: string, member: Schema, depth: number): readonly string[] {
  const values = valuesOf(member);
  if (values !== undefined) return sections(`${path}.NAME`, values, depth);
  if (member.items !== undefined) return sections(`${path}[]`, member.items, depth);
  return sections(path, member, depth + 1);
}

/** Returns the schema of the values of a map; undefined for other schemas. */
function valuesOf({ patternProperties, additionalProperties }: Schema): Schema | undefined {
  const [first] = Object.values(patternProperties ?? {});
  return first ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
}

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  const values = valuesOf(schema);
  if (values !== undefined) return `map of name to ${typeOf(values)}`;
  return boundsOf(schema, String(schema.type ?? "anything"));
}

function boundsOf({ minimum, maximum }: Schema, type: string): string {
  if (minimum === undefined || maximum === undefined) return type;
  return `${type}, ${minimum.toLocaleString("en")} to ${maximum.toLocaleString("en")}`;
}

function shownDefault(schema: Schema): string {
  return schema.default === undefined ? "–" : `\`${JSON.stringify(schema.default)}\``;
}

function wordsOf({ description = "" }: Schema): string {
  return description;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{", "&#123;");
}
