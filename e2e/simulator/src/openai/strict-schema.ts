import { isRecord, listAt, memberOf } from "../checks/members.ts";
import { wrongField } from "../checks/refusal.ts";
import type { Path } from "../checks/shape.ts";

/** Refuses a schema that strict mode does not support. `path` is its position in the body. */
export function requireStrictSchema(schema: unknown, path: Path): void {
  if (!isRecord(schema)) return;
  const properties = memberOf(schema, "properties");
  if (schema["type"] === "object" || isRecord(properties)) {
    if (schema["additionalProperties"] !== false)
      throw wrongField(path, "A strict schema sets additionalProperties to false in every object.", "invalid_schema");
    const required = listAt(schema, "required");
    const free = Object.keys(isRecord(properties) ? properties : {}).find((name) => !required.includes(name));
    if (free !== undefined)
      throw wrongField(path, `A strict schema requires every property; '${free}' is not required.`, "invalid_schema");
  }
  for (const name of ["properties", "$defs", "definitions"])
    for (const inner of Object.values(recordAt(schema, name))) requireStrictSchema(inner, path);
  requireStrictSchema(schema["items"], path);
  for (const inner of listAt(schema, "anyOf")) requireStrictSchema(inner, path);
}

function recordAt(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const found = memberOf(value, name);
  return isRecord(found) ? found : {};
}
