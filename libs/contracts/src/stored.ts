import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

/** Error of a stored record whose structure this version does not know. Its message does not contain values. */
export class UnknownShape extends Error {
  override readonly name = "UnknownShape";
  constructor(record: string, problem: string, cause?: unknown) {
    super(`stored ${record} cannot be read: ${problem}`, { cause });
  }
}

/**
 * Creates the function that reads a stored record. It parses the JSON and checks types, required members and literals,
 * but not limits of values. Unknown members are kept, because a newer version, which runs at the same time during an
 * upgrade, may have written them. `upgrade` converts a record of an earlier version. The function throws UnknownShape.
 * The schema is compiled at the first use.
 */
export function stored<const Schema extends TSchema>(
  record: string,
  schema: Schema,
  upgrade: (value: unknown) => unknown = (value) => value,
): (text: string) => Static<Schema> {
  let validator: Validator | undefined;
  const compiled = (): Validator => (validator ??= Compile(open(schema)));
  const isSound = (value: unknown): value is Static<Schema> => compiled().Check(value);
  return (text) => {
    const value = upgrade(parsed(record, text));
    if (isSound(value)) return value;
    const [first] = compiled().Errors(value);
    throw new UnknownShape(record, `${first?.instancePath || "it"} ${first?.message ?? "has another shape"}`);
  };
}

/** Renames members of a parsed record; `names` maps the names of earlier versions to the current ones. */
export function withPresentNames(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value !== "object" || value === null || !Object.keys(names).some((name) => name in value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names[name] ?? name, member]));
}

function parsed(record: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The error of JSON.parse would quote the text.
    throw new UnknownShape(
      record,
      `it is not JSON (${text.length} characters)`,
      error instanceof Error ? error.name : "",
    );
  }
}

/** Keywords that limit values. A record that was stored under other limits must still be readable. */
const bounds: ReadonlySet<string> = new Set([
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

/** Returns a schema without limits: types, required members and literals are kept. */
function open(schema: TSchema): TSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]: [string, unknown]) =>
      // A schema under such a name belongs to a member.
      bounds.has(name) && typeof value !== "object" ? [] : [[name, opened(value)]],
    ),
  );
}

function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened);
  return typeof value === "object" && value !== null ? open(value) : value;
}
