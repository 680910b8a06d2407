/** Most that is remembered; beyond it the oldest is forgotten, and found out again. */
const maxRemembered = 10_000;

/** What this process has found out of channels and models, within a bound. */
export class FoundOut<Value> {
  readonly #known = new Map<string, Value>();

  /** Whether nothing is remembered. */
  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  get(name: string): Value | undefined {
    return this.#known.get(name);
  }

  set(name: string, value: Value): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= maxRemembered && !this.#known.has(name)) this.#known.delete(oldest);
    this.#known.set(name, value);
  }
}
