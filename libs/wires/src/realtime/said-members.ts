import type { JsonRecord } from "../json/fields.ts";

/** Whether a client has set a member: null says no more than its absence. */
export function isSaid(value: unknown): boolean {
  return (value ?? undefined) !== undefined;
}

/** Paths of the members that are set in a part of a client's settings and are not among the known. */
export function otherMembers(path: string, part: JsonRecord, known: readonly string[]): readonly string[] {
  const names = Object.keys(part).filter((name) => isSaid(part[name]) && !known.includes(name));
  return names.map((name) => `${path}.${name}`);
}
