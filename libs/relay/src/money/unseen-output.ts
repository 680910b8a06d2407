import { FoundOut } from "@modelgate/platform";

/**
 * Models whose vendors bill output that their streams do not show: thoughts. What such a stream will cost cannot be
 * counted while it runs, so it is held for whole. Found out by this process from what vendors report at the end.
 */
export class UnseenOutput {
  readonly #models = new FoundOut<true>();

  has(model: string): boolean {
    return this.#models.get(model) === true;
  }

  add(model: string): void {
    this.#models.set(model, true);
  }
}
