/** Most turns that wait to be written down; of older ones it is forgotten which model was to do it. */
const mostWaiting = 256;

/**
 * The client's turns that are being written down, each by the model that the session had when it was said: a session
 * may be given another meanwhile, at another price.
 */
export class Transcripts {
  readonly #models = new Map<string, string>();

  /** Whether any is still to come. */
  get pending(): boolean {
    return this.#models.size > 0;
  }

  /** A turn of the client's became an item; `model` is what writes it down, undefined where nothing does. */
  begun(item: string, model: string | undefined): void {
    if (model === undefined) return;
    const [oldest] = this.#models.keys();
    if (this.#models.size >= mostWaiting && oldest !== undefined) this.#models.delete(oldest);
    this.#models.set(item, model);
  }

  /** It is written down, or will not be; gives the model that was to do it, where that is known. */
  ended(item: string): string | undefined {
    const model = this.#models.get(item);
    this.#models.delete(item);
    return model;
  }

  /** None is expected any more. */
  forget(): void {
    this.#models.clear();
  }
}
