/** Returns the members of a form that a person changed, so that a save keeps what others changed meanwhile. */
export function changedMembers<Members extends object>(after: Members, before: Members): Partial<Members> {
  const changed: Partial<Members> = { ...after };
  for (const name in after)
    if (JSON.stringify(after[name]) === JSON.stringify(before[name])) Reflect.deleteProperty(changed, name);
  return changed;
}
