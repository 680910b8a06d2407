/** A copy without the members that are undefined: what JSON would make of it, and equal to its like. */
export function present<Members extends object>(members: Members): Members {
  const copy = { ...members };
  for (const [name, value] of Object.entries(copy)) if (value === undefined) Reflect.deleteProperty(copy, name);
  return copy;
}
