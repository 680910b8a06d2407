import type { Static, TSchema } from "typebox";
import { validatorOf } from "./validator.ts";

/** Error for a stored record that this version cannot read. The message does not contain values of the record. */
export class UnknownShape extends Error {
  override readonly name = "UnknownShape";
  constructor(record: string, problem: string, cause?: unknown) {
    super(`stored ${record} cannot be read: ${problem}`, { cause });
  }
}

/**
 * Creates a parser of a stored JSON record, which throws UnknownShape. It accepts unknown members, because a newer
 * version may have written them. `upgrade` converts a record of an earlier version.
 */
export function recordParser<const Schema extends TSchema>(
  record: string,
  schema: Schema,
  upgrade: (value: unknown) => unknown = (value) => value,
): (text: string) => Static<Schema> {
  const validator = validatorOf(schema, withoutLimits);
  return (text) => {
    const value = upgrade(parseJson(record, text));
    if (validator.Check(value)) return value;
    const [first] = validator.Errors(value);
    throw new UnknownShape(record, `${first?.instancePath || "it"} ${first?.message ?? "does not match the schema"}`);
  };
}

/** Renames members of a parsed record. `names` maps earlier names to current ones. */
export function renameMembers(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value !== "object" || value === null || !Object.keys(names).some((name) => name in value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names[name] ?? name, member]));
}

function parseJson(record: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of JSON.parse would quote the text.
    throw new UnknownShape(
      record,
      `it is not JSON (${text.length} characters)`,
      error instanceof Error ? error.name : "",
    );
  }
}

/** Schema keywords that are ignored, because a record that was stored under other limits must still be readable. */
const limitKeywords: ReadonlySet<string> = new Set([
  "additionalProperties",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "maxProperties",
]);

function withoutLimits(schema: TSchema): TSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]: [string, unknown]) =>
      // The name of a member may equal a keyword. Its value is an object.
      limitKeywords.has(name) && typeof value !== "object" ? [] : [[name, valueWithoutLimits(value)]],
    ),
  );
}

function valueWithoutLimits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueWithoutLimits);
  return typeof value === "object" && value !== null ? withoutLimits(value) : value;
}
