/** A table's entry by a name that came from outside: names such as `constructor` find nothing that is not in it. */
export function own<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
