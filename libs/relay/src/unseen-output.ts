/** Most models that are remembered; beyond it the oldest is forgotten, and found out again. */
const mostRemembered = 10_000;

/**
 * Models whose vendors bill output that their streams do not show: thoughts. What such a stream will cost cannot be
 * counted while it runs, so it is held for whole. Found out by this process from what vendors report at the end.
 */
export class UnseenOutput {
  readonly #models = new Set<string>();

  has(model: string): boolean {
    return this.#models.has(model);
  }

  add(model: string): void {
    const [oldest] = this.#models;
    if (this.#models.size >= mostRemembered && oldest !== undefined) this.#models.delete(oldest);
    this.#models.add(model);
  }
}
