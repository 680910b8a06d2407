/** Maximum ids that are remembered. A vendor repeats an event only within a short time. */
const maxIds = 256;

/** Remembers the last ids, so that a repeated event is recognized. */
export class RecentIds {
  readonly #ids = new Set<string>();

  /** Adds an id. Returns false if it is already in the set. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    const [oldest] = this.#ids;
    if (this.#ids.size >= maxIds && oldest !== undefined) this.#ids.delete(oldest);
    this.#ids.add(id);
    return true;
  }
}
