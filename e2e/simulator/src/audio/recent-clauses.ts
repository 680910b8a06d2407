/** Most samples that are kept: 16 MiB, somewhat under six minutes. */
const maxSamples = 8 * 1024 * 1024;

/** What was said lately, so that a text that is asked for again and again is spoken once; the longest unused goes first. */
export class RecentClauses {
  readonly #kept = new Map<string, Int16Array>();
  readonly #most: number;
  #samples = 0;

  constructor(most = maxSamples) {
    this.#most = most;
  }

  /** The samples of a key, spoken if they are not here. They are shared: callers must not write into them. */
  of(key: string, speak: () => Int16Array): Int16Array {
    const spoken = this.#kept.get(key) ?? speak();
    // What was used last stands last.
    if (this.#kept.delete(key)) this.#samples -= spoken.length;
    this.#kept.set(key, spoken);
    this.#samples += spoken.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#samples <= this.#most) break;
      this.#kept.delete(oldest);
      this.#samples -= length;
    }
    return spoken;
  }
}
