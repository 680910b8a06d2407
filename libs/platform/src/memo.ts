/** Maximum number of entries that a BoundedMap keeps. */
const maxEntries = 10_000;

/** Map with a limited number of entries: beyond it the oldest entry is removed. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>();

  /** True if the map has no entries. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get(name: string): Value | undefined {
    return this.#entries.get(name);
  }

  set(name: string, value: Value): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= maxEntries && !this.#entries.has(name))
      this.#entries.delete(oldest);
    this.#entries.set(name, value);
  }
}

/** Creates a value at its first use and keeps it. After an exception the next use tries again. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
