/** Type of the result of `withoutUndefined`: members that may be undefined are optional. */
type WithoutUndefined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & { [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined> };

/** Returns a copy of an object without its undefined members. */
export function withoutUndefined<const Members extends object>(members: Members): WithoutUndefined<Members>;
export function withoutUndefined(members: object): object {
  const copy = { ...members };
  for (const [name, value] of Object.entries(copy)) if (value === undefined) Reflect.deleteProperty(copy, name);
  return copy;
}
