import { bodies } from "../bodies/index.ts";
import { TaskEvent } from "../events/task.ts";
import { UsageEvent } from "../events/usage.ts";
import { errorSchemas } from "./errors.ts";
import { withUnderstoodMembers } from "./understood.ts";

const schemas: Readonly<Record<string, unknown>> = { ...bodies, ...errorSchemas, UsageEvent, TaskEvent };

/** Returns all component schemas by name. Nested schemas become references, so that each `$id` occurs once. */
export function componentSchemas(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withUnderstoodMembers(name, membersOf(schema))]),
  );
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== "object" || value === null) return value;
  const name = "$id" in value ? String(value.$id) : "";
  return Object.hasOwn(schemas, name) ? { $ref: `#/components/schemas/${name}` } : membersOf(value);
}

function membersOf(schema: unknown): object {
  const members = Object.entries(typeof schema === "object" && schema !== null ? schema : {}).filter(
    ([name]) => name !== "$id",
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withReferences(member)]));
}
