import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

/** A stored record whose shape this version does not know. Its values are not in the message. */
export class UnknownShape extends Error {
  override readonly name = "UnknownShape";
  constructor(record: string, problem: string, cause?: unknown) {
    super(`stored ${record} cannot be read: ${problem}`, { cause });
  }
}

/**
 * Makes the function that reads a stored record: parses its JSON and checks its shape: types, required
 * members and literals, not bounds. Members that the schema does not have are kept: a newer version, whose replicas run
 * during an upgrade, may have written them. `upgrade` brings a record of an earlier version to the present shape. Throws
 * UnknownShape. The schema is compiled at the first reading.
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

/** Returns a parsed record with its present member names; `names` maps those of earlier versions to them. */
export function withPresentNames(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value !== "object" || value === null || !Object.keys(names).some((name) => name in value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names[name] ?? name, member]));
}

function parsed(record: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The error of JSON.parse quotes the text.
    throw new UnknownShape(
      record,
      `it is not JSON (${text.length} characters)`,
      error instanceof Error ? error.name : "",
    );
  }
}

/** Keywords that bound values. A record that was stored under other bounds is still one that can be read. */
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

/** The same schema without its bounds: types, required members and literals are left. */
function open(schema: TSchema): TSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]: [string, unknown]) =>
      // A schema under such a name is that of a member.
      bounds.has(name) && typeof value !== "object" ? [] : [[name, opened(value)]],
    ),
  );
}

function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened);
  return typeof value === "object" && value !== null ? open(value) : value;
}
