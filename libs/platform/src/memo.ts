/** Map that removes its oldest entry if it is full. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #maxEntries: number;

  constructor(maxEntries = 10_000) {
    this.#maxEntries = maxEntries;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get(name: string): Value | undefined {
    return this.#entries.get(name);
  }

  set(name: string, value: Value): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#maxEntries && !this.#entries.has(name))
      this.#entries.delete(oldest);
    this.#entries.set(name, value);
  }
}

/** Returns a function that creates a value at its first call. If `make` throws, the next call tries again. */
export function once<Value>(make: () => Value): () => Value {
  let cached: { readonly value: Value } | undefined;
  return () => (cached ??= { value: make() }).value;
}
