/** Maximum ids that are remembered; a vendor that repeats an event does so at once. */
const maxIds = 256;

/** Ids that were seen lately. */
export class RecentIds {
  readonly #ids = new Set<string>();

  /** Remembers an id; false where it was known. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    const [oldest] = this.#ids;
    if (this.#ids.size >= maxIds && oldest !== undefined) this.#ids.delete(oldest);
    this.#ids.add(id);
    return true;
  }
}
