/** Type of the result of `withoutUndefined`: members that may be undefined are optional. */
type WithoutUndefined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & { [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined> };

/** Returns a copy of an object without its undefined members. */
export function withoutUndefined<const Members extends object>(members: Members): WithoutUndefined<Members>;
export function withoutUndefined(members: Readonly<Record<string, unknown>>): object {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value === undefined) continue;
    // A client's JSON may have a member of this name, whose assignment would set the prototype.
    if (name === "__proto__") Object.defineProperty(copy, name, { value, enumerable: true, writable: true });
    else copy[name] = value;
  }
  return copy;
}
