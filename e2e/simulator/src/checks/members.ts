/** A member of an object; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** A text member; undefined where it is something else. */
export function textAt(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** A number member; undefined where it is something else. */
export function numberAt(value: unknown, name: string): number | undefined {
  const found = memberOf(value, name);
  return typeof found === "number" ? found : undefined;
}

/** The elements of an array member; none where it is something else. */
export function listAt(value: unknown, name: string): readonly unknown[] {
  const found = memberOf(value, name);
  return Array.isArray(found) ? found : [];
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object without its undefined members. */
export function present(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
