/** Returns a member of an object, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns a member if it is a string. */
export function textAt(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** Returns a member if it is a number. */
export function numberAt(value: unknown, name: string): number | undefined {
  const found = memberOf(value, name);
  return typeof found === "number" ? found : undefined;
}

/** Returns a member if it is an array, otherwise an empty list. */
export function listAt(value: unknown, name: string): readonly unknown[] {
  const found = memberOf(value, name);
  return Array.isArray(found) ? found : [];
}

/** Returns true if a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function withoutUndefinedMembers(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
